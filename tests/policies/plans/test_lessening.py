"""A plan without what it has lost wants as many pods as are left, each where he stands or still goes."""

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from policies.plans.lessening import Loss, without
from policies.plans.quotas import Place, kind, wanted
from policies.plans.tallies import tallies
from policies.values.plans import Plan
from tests.policies.plans.making import controller
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan, with_pods
from tests.policies.plans.under_way import scaled


def numbers(plan: Plan, name: str) -> dict[str, int]:
    """Return how many pods of a workload the plan wants, by node."""
    found = {place.node: count for place, count in wanted(plan).items() if place.kind.controller == controller(name)}
    return {node: count for node, count in found.items() if count}


def test_nothing_lost_is_the_plan_itself() -> None:
    plan = the_papers_plan()

    assert without(plan, Loss(), tallies(plan, the_paper())) is plan


def test_one_who_comes_no_more_is_a_replica_and_a_quota_fewer() -> None:
    plan, now = the_papers_plan(), scaled(with_pods(the_paper(), without=("big-0",)), "big", 0)
    (entry,) = [entry for entry in plan.entries if entry.pod == "big-0"]
    place = Place(kind(controller("big"), entry.requests), "n2")

    left = without(plan, Loss(fallen=Counter([place])), tallies(plan, now))

    assert numbers(left, "big") == {}
    assert numbers(left, "web") == numbers(plan, "web")
    assert tallies(left, now)[controller("big")].grown == 0
    assert tallies(left, now)[controller("big")].settled


@given(st.booleans())
def test_whoever_is_not_taken_away_stays_where_he_is(moves: bool) -> None:  # noqa: FBT001  # drawn
    before = the_paper()
    plan = make_plan(before, move={"web-2": "n1"}) if moves else make_plan(before, evict=["web-2"])

    left = without(plan, Loss(dropped=plan.disruptions), tallies(plan, before))

    assert left.disruptions == ()
    assert numbers(left, "web") == {"n2": 1, "n3": 2}
    assert [each.unplaced for each in left.headcounts] == [0]
    assert tallies(left, before)[controller("web")].settled


def test_a_bare_pod_has_no_numbers() -> None:
    before = the_paper()
    plan = make_plan(before, evict=["web-2"])
    bare = replace(plan, entries=(replace(plan.entries[0], controller=None),))

    left = without(bare, Loss(dropped=bare.disruptions, gone=frozenset({"x"})), tallies(plan, before))

    assert (left.entries, left.quotas, left.headcounts) == ((), plan.quotas, plan.headcounts)
