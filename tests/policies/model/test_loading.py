"""Loading: defaults, derived defaults, and that any text ends in a policy or in errors with places."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.model.loading import Loaded, _validated, load
from policies.model.problems import PolicyErrors, Problem
from policies.model.text import Document
from tests.policies.model.policy_data import Data, policies

HEAD = "apiVersion: bayplan.dev/v1alpha1\nkind: Policy\n"
JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, -1, 1.5, 1e300, "", "x", "5s", "120%", [], [1], {}, {"x": 1}, [{}], [[]], "a\nb"]
)


def loaded(body: str) -> Loaded:
    return load(HEAD + body, file="p.yaml")


def test_trouble_clears_a_little_above_its_threshold_by_default() -> None:
    policy = loaded(
        "slos: [{name: a, selector: {}, indicator: q, atMost: 1, evictBelow: -0.2}]\nbuoyancy: {descheduleBelow: -0.1}"
    ).policy

    assert policy.slos[0].clear_above == pytest.approx(-0.15)
    assert policy.buoyancy.clear_above == pytest.approx(-0.05)


def test_objective_as_a_duration_is_in_seconds() -> None:
    slos = loaded(
        "slos:\n"
        "- {name: a, selector: {}, indicator: q, atMost: 250ms}\n"
        "- {name: b, selector: {}, indicator: q, atMost: 250}\n"
        "- {name: c, selector: {}, indicator: q, atLeast: 0.999}\n"
    ).policy.slos

    assert [(slo.at_most, slo.at_least) for slo in slos] == [(0.25, None), (250.0, None), (None, 0.999)]


def test_yaml_words_and_exponents_are_read_as_people_mean_them() -> None:
    policy = loaded(
        "eviction: {onlyIfNodeBelow: off, destination: off}\nsignals: {resources: {m: {node: q, full: 80e9}}}"
    )

    assert policy.policy.eviction.only_if_node_below == "off"
    assert policy.policy.signals.resources["m"].full == 80e9


def test_history_reaches_back_over_windows_debounce_and_ten_minutes() -> None:
    policy = loaded("slos: [{name: a, selector: {}, indicator: q, atMost: 1, window: 5m}]").policy

    assert policy.history_span == 2 * 300 + 180 + 600


def test_history_covers_consecutive_evaluations_that_take_longer_than_the_debounce() -> None:
    assert loaded("signals: {step: 60s}\neviction: {consecutive: 5}").policy.history_span == 300 + 600


def test_warnings_come_in_the_order_of_lines() -> None:
    lines = [warning.line for warning in loaded("eviction: {paused: true, limits: []}\nsignals: {step: 20s}").warnings]

    assert lines == sorted(lines)


def problems_of(text: str) -> tuple[Problem, ...]:
    """Return the errors of a policy, none where it is valid."""
    try:
        load(text, file="p.yaml")
    except PolicyErrors as errors:
        return errors.problems
    return ()


def places(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return every place in plain data but the root."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [place for key, value in items for place in [(*at, key), *places(value, (*at, key))]]


@given(policies(), st.data())
def test_any_broken_policy_ends_in_errors_with_places_or_in_a_policy(data: Data, choices: st.DataObject) -> None:
    broken = copy.deepcopy(data)
    for _ in range(choices.draw(st.integers(1, 4))):
        *above, last = choices.draw(st.sampled_from(places(broken)))
        target = broken
        for part in above:
            target = target[part]
        target[last] = copy.deepcopy(choices.draw(JUNK))

    problems = problems_of(json.dumps(broken, indent=1, ensure_ascii=False))

    assert all(problem.message and problem.line > 0 and problem.path for problem in problems)
    assert len({str(problem) for problem in problems}) == len(problems)


@given(st.text(max_size=60))
def test_any_other_text_ends_in_errors_with_places(text: str) -> None:
    problems = problems_of(text)

    assert problems  # sixty characters are too few for a policy
    assert all(problem.message and problem.line > 0 for problem in problems)


def test_what_cannot_be_mended_still_ends() -> None:
    data = {"apiVersion": "bayplan.dev/v1alpha1", "kind": "Policy", 5: "no text has such a key"}

    policy, problems = _validated(Document(file="p.yaml", data=data))

    assert policy is None
    assert [str(problem) for problem in problems] == [
        "p.yaml:1: [5]: seen 'no text has such a key' (text); allowed is something else: Keys should be strings"
    ]
