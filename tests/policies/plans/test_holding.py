"""Holding: a blocking run keeps everybody, `hold: all` so many and no more; and when a plan could come at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.model.eviction import Eviction
from policies.model.plan import Plan
from policies.model.policy import Policy
from policies.plans.holding import LEADER_SILENT_FOR, Crowd, is_held, may_come
from tests.policies.plans.making import make_plan

CROWD = Crowd(others=0, most=1)


def test_a_blocking_run_holds_everybody_whatever_the_plan_says() -> None:
    assert is_held(make_plan(revision=0), Crowd(others=99, most=0), everybody=True)
    assert not is_held(make_plan(revision=0, hold="all"), CROWD, everybody=False)


def test_under_reservations_nobody_is_held() -> None:
    assert not is_held(make_plan(), CROWD, everybody=False)


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(0, 5))
def test_hold_all_holds_so_many_pods_and_those_again(asks: list[int], most: int) -> None:
    plan, held = make_plan(hold="all"), set[int]()
    for pod in asks:
        crowd = Crowd(others=len(held - {pod}), most=most, already=pod in held)
        answer = is_held(plan, crowd, everybody=False)
        assert answer or pod not in held
        held |= {pod} if answer else set()

    assert len(held) == min(most, len({*asks}))


def _policy(mode: str = "enforce", trigger: str = "periodic") -> Policy:
    made = {"api_version": "bayplan.dev/v1alpha1", "kind": "Policy"}
    return Policy.model_validate(made | {"eviction": Eviction(mode=mode), "plan": Plan(trigger=trigger)})


@pytest.mark.parametrize(
    ("policy", "silent_for", "comes"),
    [
        (_policy(), 0.0, True),
        (_policy(), LEADER_SILENT_FOR, True),
        (_policy(), LEADER_SILENT_FOR + 0.1, False),
        (_policy(mode="observe"), 0.0, False),
        (_policy(trigger="off"), 0.0, False),
    ],
)
def test_a_plan_could_come_from_a_leader_that_lives_and_may(policy: Policy, silent_for: float, *, comes: bool) -> None:
    assert may_come(policy, leader_silent_for=silent_for) == comes
