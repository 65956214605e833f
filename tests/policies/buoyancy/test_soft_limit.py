"""Soft limits over time."""

import math
from typing import Any

import numpy as np
import pytest

from policies.buoyancy.debounce import Trigger
from policies.buoyancy.soft_limit import Samples, SoftLimit, Verdicts, judge
from tests.policies.buoyancy.histories import NOW, STEP, make_times


def judged(*slacks: float, consecutive: int = 3, window: float = 60.0, **changes: Any) -> Verdicts:
    """Judge one pod whose samples have these slacks under a latency objective of 1 s."""
    defaults: dict[str, Any] = {
        "values": 1.0 - np.array([slacks]),
        "times": make_times(len(slacks)),
        "step": STEP,
        "since": np.array([-math.inf]),
        "judged_from": np.array([-math.inf]),
    }
    trigger = Trigger(below=0.0, clear_above=0.05, needed=consecutive)
    limit = SoftLimit(objective=1.0, more_is_better=False, window=window, trigger=trigger)
    return judge(Samples(**(defaults | changes)), limit)


def evicts(*slacks: float, **changes: Any) -> bool:
    found = judged(*slacks, **changes)
    return bool(found.trouble[0] and found.breaching[0])


def over_time(*slacks: float, **changes: Any) -> list[bool]:
    """Return the answer of every evaluation of a series, as a loop at each step would have seen it."""
    return [evicts(*slacks[: end + 1], **changes) for end in range(len(slacks))]


WELL = [0.3] * 8


def test_a_small_breach_of_20_s_is_borne() -> None:
    assert not any(over_time(*WELL, -0.2, -0.2, *WELL))


def test_a_large_breach_of_20_s_blows_the_fuse() -> None:
    assert any(over_time(*WELL, -3.0, -3.0, *WELL))


def test_a_lasting_breach_ends_in_trouble() -> None:
    answers = over_time(*WELL, *[-0.2] * 8)

    assert answers == sorted(answers)
    assert answers[-1]


def test_a_window_of_one_step_is_a_hard_limit() -> None:
    assert over_time(0.3, 0.3, -0.01, 0.3, window=0.0, consecutive=1) == [False, False, True, False]


def test_a_breach_that_is_over_evicts_nobody() -> None:
    assert not evicts(*[-0.2] * 12, *[0.3] * 4)


def test_samples_before_the_pod_was_ready_are_not_usable() -> None:
    warming_up = judged(*[-0.5] * 6, since=np.array([NOW - 2 * STEP]), consecutive=1)
    warm = judged(*[-0.5] * 6, since=np.array([NOW - 3 * STEP]), consecutive=1)

    assert np.isnan(warming_up.average[0])
    assert not warming_up.breaching[0]
    assert warm.average[0] == pytest.approx(-0.5)
    assert warm.breaching[0]


def test_a_pod_that_was_never_ready_is_unknown() -> None:
    assert np.isnan(judged(*[-0.5] * 6, since=np.array([math.inf])).average[0])


def test_evaluations_before_the_nodes_last_eviction_say_nothing() -> None:
    assert not evicts(*[-0.5] * 12, judged_from=np.array([NOW - STEP]))
    assert evicts(*[-0.5] * 12, judged_from=np.array([NOW - 2 * STEP]))


def test_an_average_of_older_samples_is_no_proof_for_now() -> None:
    found = judged(*[-0.5] * 12, math.nan)

    assert found.average[0] == pytest.approx(-0.5)
    assert found.trouble[0]
    assert not found.breaching[0]


def test_a_gap_between_evaluations_does_not_break_the_run() -> None:
    assert evicts(*[-0.5] * 6, math.nan, -0.5)


def test_more_is_better_breaches_downwards() -> None:
    limit = SoftLimit(
        objective=1000.0, more_is_better=True, window=0.0, trigger=Trigger(below=0.0, clear_above=0.05, needed=1)
    )
    samples = Samples(
        values=np.array([[900.0], [1100.0]]),
        times=make_times(1),
        step=STEP,
        since=np.full(2, -math.inf),
        judged_from=np.full(2, -math.inf),
    )

    assert judge(samples, limit).breaching.tolist() == [True, False]


def test_without_evaluations_or_pods_nobody_is_judged() -> None:
    nobody = np.empty(0)

    assert not judged().trouble[0]
    assert judged(values=np.empty((0, 3)), times=make_times(3), since=nobody, judged_from=nobody).average.size == 0
