"""The end of orphaned plans, what failed plans leave behind, and what is kept: all read from the plans themselves."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.model.limits import CoolDown
from policies.plans.closing import KEPT, forgettable, outcome, resting
from policies.values.plans import Plan, PlanCondition, PlanPhase
from policies.values.workloads import WorkloadRef
from tests.builders import NOW
from tests.policies.plans.plan_builders import the_paper, the_papers_plan, with_pods
from tests.policies.plans.test_rails import make_plan_policy
from tests.policies.plans.under_way import ALL_BOUND, BIG_BOUND

PAIR = (WorkloadRef("Deployment", "default", "web"), "n2")
POLICY = make_plan_policy(eviction={"cool_down": CoolDown(initial=100.0, factor=2.0, max=300.0)})
VALID = PlanCondition(kind="Validated", met=True)


def ended(phase: PlanPhase = PlanPhase.ABORTED, *, ago: float = 0.0, number: int = 1, **changes: Any) -> Plan:
    """Return the paper's plan as it ended so many seconds ago, after it had been validated."""
    defaults: dict[str, Any] = {"phase": phase, "finished_at": NOW - ago, "conditions": (VALID,)}
    return the_papers_plan(name=f"plan-{number}", **(defaults | changes))


@pytest.mark.parametrize("phase", [PlanPhase.INSTALLING, PlanPhase.EVICTING, PlanPhase.REALISING])
def test_an_orphan_whose_pods_are_all_bound_is_completed(phase: PlanPhase) -> None:
    assert outcome(the_papers_plan(phase=phase), ALL_BOUND) == (
        PlanPhase.COMPLETED,
        "every wanted pod was bound when the next leader looked",
    )


def test_an_orphan_with_anything_left_is_aborted() -> None:
    assert outcome(the_papers_plan(phase=PlanPhase.REALISING), BIG_BOUND) == (
        PlanPhase.ABORTED,
        "its leader was gone in Realising; pods of ReplicaSet default/web-rs on n1: 0 of 1",
    )


def test_an_orphan_that_a_person_wanted_to_end_is_judged_like_any_other() -> None:
    assert outcome(the_papers_plan(abort="stop"), ALL_BOUND)[0] is PlanPhase.COMPLETED
    assert outcome(the_papers_plan(abort="stop"), the_paper())[0] is PlanPhase.ABORTED


def test_an_orphan_without_entries_was_decided_by_nobody() -> None:
    empty = Plan(name="blocking", revision=0)

    assert outcome(empty, the_paper()) == (
        PlanPhase.ABORTED,
        "its leader was gone in Computing, before anything was decided",
    )


# ---------------------------------------------------------------------- what failed plans leave behind


@pytest.mark.parametrize("phase", [PlanPhase.ABORTED, PlanPhase.TIMED_OUT])
def test_the_pairs_of_a_failed_plan_rest(phase: PlanPhase) -> None:
    assert resting([ended(phase, ago=30)], POLICY, now=NOW) == {PAIR: NOW + 70}
    assert resting([ended(phase, ago=100)], POLICY, now=NOW) == {}


def test_each_failure_in_a_row_makes_the_rest_longer_up_to_its_maximum() -> None:
    failures = [ended(ago=ago, number=ago) for ago in (5, 3, 1)]

    assert resting(failures[:2], POLICY, now=NOW) == {PAIR: NOW - 3 + 200}
    assert resting(reversed(failures), POLICY, now=NOW) == {PAIR: NOW - 1 + 300}


def test_a_plan_that_completed_starts_over() -> None:
    completed = ended(PlanPhase.COMPLETED, ago=5)

    assert resting([ended(ago=9), completed], POLICY, now=NOW) == {}
    assert resting([ended(ago=9), completed, ended(ago=2, number=3)], POLICY, now=NOW) == {PAIR: NOW + 98}


@pytest.mark.parametrize(
    "changes",
    [
        {"conditions": ()},
        {"conditions": (replace(VALID, met=False),)},
        {"conditions": (replace(VALID, kind="Installed"),)},
        {"observing": True},
        {"phase": PlanPhase.REALISING},
    ],
    ids=["not validated", "not valid", "only installed", "observed", "going on"],
)
def test_what_cost_nothing_may_be_tried_again(changes: dict[str, Any]) -> None:
    assert resting([replace(ended(), **changes)], POLICY, now=NOW) == {}


def test_a_plan_whose_end_has_no_time_counts_from_its_beginning() -> None:
    assert resting([ended(finished_at=None, started_at=NOW - 10)], POLICY, now=NOW) == {PAIR: NOW + 90}


@given(
    ages=st.lists(st.integers(0, 400), max_size=6, unique=True),
    phases=st.lists(st.sampled_from([PlanPhase.ABORTED, PlanPhase.TIMED_OUT, PlanPhase.COMPLETED]), min_size=6),
)
def test_a_rest_is_never_longer_than_its_maximum_and_never_over(ages: list[int], phases: list[PlanPhase]) -> None:
    plans = [ended(phase, ago=age, number=age) for age, phase in zip(ages, phases, strict=False)]

    found = resting(plans, POLICY, now=NOW)

    assert all(NOW < until <= NOW + 300 for until in found.values())
    newest = min(zip(ages, phases, strict=False), default=None)
    failed_just_now = newest is not None and newest[1] is not PlanPhase.COMPLETED and newest[0] < 100
    completed_last = newest is None or newest[1] is PlanPhase.COMPLETED
    assert not (failed_just_now and not found)
    assert not (completed_last and found)


# ---------------------------------------------------------------------- what is kept


def test_the_last_twenty_finished_plans_are_kept() -> None:
    plans = [ended(PlanPhase.COMPLETED, ago=ago, number=ago) for ago in range(KEPT + 3)]

    assert [plan.name for plan in forgettable(plans, POLICY, now=NOW)] == ["plan-22", "plan-21", "plan-20"]
    assert forgettable(plans[:KEPT], POLICY, now=NOW) == ()


def test_a_plan_that_goes_on_is_never_forgotten() -> None:
    plans = [ended(PlanPhase.REALISING, ago=ago, number=ago) for ago in range(KEPT + 3)]

    assert forgettable(plans, POLICY, now=NOW) == ()


def test_a_failed_plan_is_kept_for_as_long_as_its_pairs_rest() -> None:
    other = with_pods(the_paper(), without=("web-2",))
    later = [
        ended(PlanPhase.COMPLETED, ago=ago, number=ago, entries=(), quotas=(), headcounts=()) for ago in range(KEPT)
    ]
    failed = [ended(ago=250, number=250), ended(ago=50, number=50)]

    assert outcome(ended(), other)[0] is PlanPhase.ABORTED
    assert [plan.name for plan in forgettable([*later, failed[0]], POLICY, now=NOW)] == ["plan-250"]
    assert forgettable([*later, *failed], POLICY, now=NOW) == ()  # the second failure in a row rests for 200 s
    assert forgettable([*later, replace(failed[1], observing=True)], POLICY, now=NOW) != ()
