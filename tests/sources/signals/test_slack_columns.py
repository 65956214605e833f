"""Samples by pod, a column per poll, folded to the least average slack by node."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.buoyancy.debounce import Trigger
from policies.buoyancy.soft_limit import Samples, SoftLimit, judge
from sources.signals.slack_columns import SlackColumns

AT = 1_800_000_000.0
STEP = 15.0


def limit(window: float = 30.0) -> SoftLimit:
    trigger = Trigger(below=0.0, clear_above=0.05, needed=1)
    return SoftLimit(objective=1.0, more_is_better=False, window=window, trigger=trigger)


@pytest.fixture
def columns() -> SlackColumns:
    return SlackColumns(limit(), step=STEP)


def poll(columns: SlackColumns, at: float, **values: float) -> dict[str, float]:
    columns.advance(AT + at)
    columns.fill(values)
    return columns.least()


def test_nothing_is_known_before_the_window_is_full(columns: SlackColumns) -> None:
    columns.place("a", "n1", 0.0)

    assert poll(columns, 0, a=0.5) == {}
    assert poll(columns, 15, a=0.7) == {"n1": pytest.approx(0.4)}


def test_worst_pod_speaks_for_its_node(columns: SlackColumns) -> None:
    for pod, where in (("a", "n1"), ("b", "n1"), ("c", "n2")):
        columns.place(pod, where, 0.0)
    poll(columns, 0, a=0.5, b=1.5, c=0.25)

    assert poll(columns, 15, a=0.5, b=1.5, c=0.25) == {"n1": pytest.approx(-0.5), "n2": pytest.approx(0.75)}


def test_samples_before_the_pod_was_ready_do_not_count(columns: SlackColumns) -> None:
    columns.place("a", "n1", AT + 10)
    columns.place("never", "n2", None)
    poll(columns, 0, a=9.0, never=9.0)

    assert poll(columns, 15, a=0.5, never=9.0) == {}
    assert poll(columns, 30, a=0.5, never=9.0) == {"n1": pytest.approx(0.5)}


def test_gap_is_no_sample(columns: SlackColumns) -> None:
    columns.place("a", "n1", 0.0)
    poll(columns, 0, a=0.5)
    poll(columns, 15)

    assert poll(columns, 30, a=0.7) == {"n1": pytest.approx(0.4)}


def test_missed_polls_age_what_is_known(columns: SlackColumns) -> None:
    columns.place("a", "n1", 0.0)
    poll(columns, 0, a=0.5)
    poll(columns, 15, a=0.5)

    assert poll(columns, 300, a=0.9) == {}


def test_early_poll_replaces_the_last_one(columns: SlackColumns) -> None:
    columns.place("a", "n1", 0.0)
    poll(columns, 0, a=0.5)
    poll(columns, 3, a=0.9)

    assert poll(columns, 15, a=0.9) == {"n1": pytest.approx(0.1)}


def test_pod_that_has_gone_is_forgotten_and_its_row_used_again(columns: SlackColumns) -> None:
    columns.place("a", "n1", 0.0)
    poll(columns, 0, a=0.5)
    columns.remove("a")
    columns.remove("unknown")
    columns.place("b", "n2", 0.0)

    assert poll(columns, 15, b=0.5, a=0.5) == {}
    assert poll(columns, 30, b=0.5) == {"n2": pytest.approx(0.5)}
    assert (list(columns), len(columns), "a" in columns) == (["b"], 1, False)


def test_pod_that_moved_speaks_for_its_new_node(columns: SlackColumns) -> None:
    columns.place("a", "n1", 0.0)
    poll(columns, 0, a=0.5)
    columns.place("a", "n2", 0.0)

    assert poll(columns, 15, a=0.5) == {"n2": pytest.approx(0.5)}


_samples = st.lists(st.floats(0, 5) | st.just(math.nan), min_size=6, max_size=6)


@given(st.lists(_samples, min_size=1, max_size=90), st.sampled_from([15.0, 30.0, 60.0]))
def test_folding_says_what_the_rules_would_say_of_the_same_samples(rows: list[list[float]], window: float) -> None:
    columns = SlackColumns(limit(window), step=STEP)
    for pod in range(len(rows)):
        columns.place(str(pod), str(pod), 0.0)
    folded: dict[str, float] = {}
    for at in range(6):
        folded = poll(columns, at * STEP, **{str(pod): row[at] for pod, row in enumerate(rows)})

    samples = Samples(
        values=np.array(rows),
        times=AT + STEP * np.arange(6.0),
        step=STEP,
        since=np.zeros(len(rows)),
        judged_from=np.zeros(len(rows)),
    )
    expected = judge(samples, limit(window)).average
    for pod in range(len(rows)):
        assert folded.get(str(pod), math.nan) == pytest.approx(expected[pod], nan_ok=True)
