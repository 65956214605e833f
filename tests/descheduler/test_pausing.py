"""Pauses grow, carry jitter, and are never shorter than the server asked."""

import random

from hypothesis import given
from hypothesis import strategies as st

from descheduler.pausing import Pauses

SOME = Pauses(first=1.0, factor=2.0, longest=30.0, jitter=0.5)
waits = st.none() | st.floats(0, 300)


@given(st.integers(1, 5000), waits, st.integers())
def test_a_pause_is_at_least_what_was_asked_and_bounded(failures: int, asked: float | None, seed: int) -> None:
    pause = SOME.after(failures, asked=asked, rng=random.Random(seed))

    assert max(asked or 0.0, min(30.0, 2.0 ** min(failures - 1, 10))) <= pause <= 1.5 * max(asked or 0.0, 30.0)


def test_pauses_grow_until_the_longest() -> None:
    steady = Pauses(first=1.0, factor=2.0, longest=30.0, jitter=0.0)

    pauses = [steady.after(failures, asked=None, rng=random.Random(0)) for failures in range(1, 8)]

    assert pauses == [1, 2, 4, 8, 16, 30, 30]


def test_the_same_seed_gives_the_same_pauses() -> None:
    first, second = (SOME.after(3, asked=2.0, rng=random.Random(7)) for _ in range(2))

    assert first == second
