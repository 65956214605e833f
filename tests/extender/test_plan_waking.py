"""Whoever a plan or a claim keeps waiting is woken once that may be over, and not without a reason."""

from dataclasses import replace

from policies.values.plans import PlanPhase
from tests.builders import NOW, make_node, make_pod, make_resources
from tests.extender.planned import BIG, NAMES, SLOT, Scene, full
from tests.policies.plans.making import make_plan, make_quota, pending


def test_sleeping_pods_are_woken_when_a_plan_begins_and_when_it_ends() -> None:
    scene = Scene()
    scene.plans.plan(None, make_plan(make_quota()), now=0.0)
    assert not scene.was_nudged()
    scene.plans.slot(SLOT, now=0.0)
    assert scene.was_nudged()

    scene.plans.slot(replace(SLOT, renewal=2), now=1.0)
    scene.plans.plan(make_plan(make_quota()), make_plan(make_quota(), phase=PlanPhase.REALISING), now=1.0)
    assert not scene.was_nudged()
    scene.plans.plan(make_plan(make_quota()), make_plan(make_quota(), phase=PlanPhase.COMPLETED), now=2.0)

    assert scene.was_nudged()
    assert scene.ask(pending("a")).passed == NAMES


def test_whom_a_claim_kept_out_is_woken_when_the_attempt_failed() -> None:
    scene = Scene()
    full(scene)

    scene.put(pending("a", "api", cpu=200, unscheduled="Unschedulable: 0/2", unschedulable_since=NOW))

    assert scene.was_nudged()
    assert scene.ask(pending("b", "api", cpu=200)).passed == ["n1"]


def test_whom_a_claim_kept_out_is_woken_when_its_pod_is_gone_or_five_seconds_have_passed() -> None:
    scene = Scene()
    full(scene)
    scene.delete(pending("a", "api", cpu=200))
    assert scene.was_nudged()

    later = Scene()
    full(later)
    later.plans.step(4.9)
    assert not later.was_nudged()
    later.plans.step(5.0)
    assert later.was_nudged()


def test_a_bind_wakes_everybody_by_itself() -> None:
    scene = Scene()
    full(scene)

    scene.put(make_pod("a", workload="api", cpu=200))

    assert not scene.was_nudged()


def test_a_claim_that_kept_nobody_out_ends_silently() -> None:
    scene = Scene()
    scene.begin(make_plan(make_quota(requests=BIG)))
    scene.ask(pending("a", "api", cpu=200))

    scene.put(pending("a", "api", cpu=200, unscheduled="Unschedulable: 0/2"))
    scene.ask(pending("a", "api", cpu=200))
    scene.plans.step(9.0)

    assert not scene.was_nudged()


def test_whom_a_planned_pods_claim_kept_out_is_woken_too() -> None:
    scene = Scene()
    scene.census.nodes["n2"] = make_node("n2", cpu=0)
    scene.begin(make_plan(make_quota(), make_quota("api", "n2", requests=BIG)))
    assert scene.ask(pending("a")).passed == ["n1"]
    assert scene.ask(pending("b")).kept_waiting

    scene.plans.step(5.0)

    assert scene.was_nudged()
    assert scene.ask(pending("b"), now=6.0).passed == ["n1"]


def test_whom_a_claim_kept_out_is_woken_when_its_pod_asks_again_and_claims_less() -> None:
    scene = Scene()
    full(scene)
    scene.begin(make_plan(make_quota(requests=BIG), make_quota(node="n2", requests=BIG)))
    pod = pending("a", "api", cpu=200)
    scene.ask(pod)
    assert scene.ask(pending("b", "api", cpu=200)).kept_waiting

    scene.ask(replace(pod, priority=0, requests=make_resources(cpu=300, pods=1)))

    assert scene.was_nudged()
    assert scene.ask(pending("b", "api", cpu=200)).passed == ["n1"]


def test_a_planned_pod_is_woken_when_a_place_of_its_own_that_was_claimed_is_open_again() -> None:
    scene = Scene()
    scene.census.nodes["n3"] = make_node("n3")
    scene.begin(make_plan(make_quota(), make_quota(node="n3")))  # n3, where a victim still ends, is not offered
    assert scene.ask(pending("a")).passed == ["n1"]
    assert scene.ask(pending("b")).kept_waiting

    scene.delete(pending("a"))

    assert scene.was_nudged()
    assert scene.ask(pending("b")).passed == ["n1"]


def test_whoever_asked_before_our_watch_told_of_the_room_is_woken() -> None:
    scene = Scene()
    scene.census.nodes["n2"] = make_node("n2", cpu=0)
    scene.begin(make_plan(make_quota(requests=BIG), make_quota("db", "n2", requests=BIG)))
    other = make_pod("o", workload="api", cpu=200)
    scene.put(other)
    assert not scene.was_nudged()  # nobody waits
    assert scene.ask(pending("b", "api", cpu=200)).kept_waiting  # woken by the deletion, of which we hear only now

    scene.delete(other)

    assert scene.was_nudged()
    assert scene.ask(pending("b", "api", cpu=200)).passed == ["n1"]


def test_whoever_asked_before_our_watch_told_of_a_bind_is_woken_for_the_other_nodes() -> None:
    scene = Scene()
    scene.begin(make_plan(make_quota(requests=BIG), make_quota(node="n2", requests=BIG)))
    assert scene.ask(pending("a", "api", cpu=200)).passed == NAMES
    assert scene.ask(pending("b", "api", cpu=200)).kept_waiting

    scene.put(make_pod("a", workload="api", cpu=200))

    assert scene.was_nudged()
    assert scene.ask(pending("b", "api", cpu=200)).passed == ["n2"]


def test_whoever_asked_before_our_watch_told_that_a_node_has_grown_is_woken() -> None:
    scene = Scene()
    scene.census.nodes["n2"] = make_node("n2", cpu=0)
    scene.begin(make_plan(make_quota(requests=BIG), make_quota("db", "n2", requests=BIG)))
    assert scene.ask(pending("b", "api", cpu=300)).kept_waiting

    scene.plans.node("n1", make_node("n1", cpu=8000))

    assert scene.was_nudged()
