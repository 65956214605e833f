"""Each step of a plan is looked at once more on fresh state."""

from dataclasses import replace
from typing import Any

from policies.plans.validating import step_still_good
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from tests.builders import make_node
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan, with_node, with_pods
from tests.policies.plans.under_way import GONE, scaled
from tests.policies.plans.validity import BARE, BOTH, allows, situation_of, two_moves
from tests.policies.situations import make_record


def step(plan: Plan, cluster: Cluster, at: int = 0, **changes: Any) -> str | None:
    """Return in words why a step must not be taken."""
    refusal = step_still_good(plan, plan.disruptions[at], situation_of(cluster, **changes))
    return None if refusal is None else str(refusal)


def after_the_first(cluster: Cluster) -> tuple[Cluster, dict[str, Any]]:
    """Return the state in which `web-0` has been evicted, and what the situation knows of it."""
    return with_pods(cluster, without=("web-0",)), {"records": (make_record("web-0", rule="plan", ago=1),)}


def test_each_step_is_good_after_those_before() -> None:
    plan = make_plan(two_moves(), move=BOTH)
    later, known = after_the_first(two_moves())

    assert step(plan, two_moves()) is None
    assert step(plan, later, 1, **known) is None


def test_a_pod_that_has_moved_on_is_no_step_any_more() -> None:
    assert step(the_papers_plan(), GONE) == "plan-drift: default/web-2 on n2 is gone"


def test_nobody_is_evicted_for_pods_that_were_scaled_away_or_deleted() -> None:
    plan = the_papers_plan()
    away = scaled(with_pods(the_paper(), without=("big-0",)), "big", 0)
    bare = with_pods(the_paper(), BARE, without=("big-0",))
    pinned = make_plan(bare, move={"web-2": "n1"}, place={"bare": "n2"})

    assert step(plan, away) == "no-gain: nobody waits any more for what the plan makes room for"
    assert step(pinned, with_pods(bare, without=("bare",))) == step(plan, away)
    assert step(pinned, bare) is None
    assert step(plan, with_pods(the_paper(), without=("big-0",))) is None  # its successor is about to come


def test_a_relief_makes_room_for_nobody_and_is_not_in_vain() -> None:
    assert step(make_plan(the_paper(), move={"web-2": "n1"}), the_paper()) is None


def test_a_pdb_that_has_closed_stops_the_next_step() -> None:
    plan = make_plan(two_moves(), move=BOTH)
    later, known = after_the_first(replace(two_moves(), pdbs=(allows(0, "api"),)))

    assert step(plan, later, 1, **known) == "pdb: PDB default/pdb allows 0"


def test_room_that_is_gone_stops_the_next_step() -> None:
    plan = make_plan(two_moves(), move=BOTH)
    later, known = after_the_first(with_node(two_moves(), make_node("n2", cpu=250)))

    assert step(plan, later, 1, **known) == "plan-room: n2 would lack 50 of cpu with default/web-0 on it"


def test_a_step_looks_at_nothing_that_could_not_be_read() -> None:
    blind = replace(the_paper(), unreadable={"nodes": "timeout"})

    assert step(the_papers_plan(), blind) == "unreadable: nodes could not be read, so they are unknown: timeout"
