"""Pods that a plan holds: all of them while a blocking run computes, others only as long as it is in force."""

from policies.values.plans import PlanPhase
from tests.extender.planned import NAMES, SLOT, Scene
from tests.policies.plans.making import make_plan, make_quota, pending


def test_everybody_is_held_while_a_blocking_run_computes() -> None:
    scene = Scene()
    scene.begin(make_plan(revision=0, phase=PlanPhase.COMPUTING))

    assert scene.ask(pending("a"), most_held=0).passed == []
    assert scene.ask(pending("b"), most_held=0).passed == []
    assert scene.plans.figures().held == 2


def test_the_hold_of_a_blocking_run_ends_two_seconds_after_our_lease_told_of_it() -> None:
    scene = Scene()
    scene.begin(make_plan(revision=0, phase=PlanPhase.COMPUTING))
    scene.plans.told(scene.plans.words(synced=True, now=1.0), {}, now=1.0)
    scene.plans.step(2.9)
    assert scene.ask(pending("a"), now=2.9).passed == []

    scene.plans.step(3.0)

    assert scene.was_nudged()
    assert scene.ask(pending("a"), now=3.0).passed == NAMES


def test_from_the_empty_plan_to_the_one_with_entries_nobody_slips_through() -> None:
    scene = Scene()
    empty = make_plan(revision=0, phase=PlanPhase.COMPUTING)
    scene.begin(empty)
    full = make_plan(make_quota(), phase=PlanPhase.INSTALLING)

    scene.plans.plan(empty, full, now=1.0)
    assert scene.ask(pending("b", "api"), now=1.0).passed == []
    scene.plans.slot(SLOT, now=1.1)

    assert scene.was_nudged()
    assert scene.ask(pending("a"), now=1.1).passed == ["n1"]
    assert scene.ask(pending("b", "api"), now=1.1).passed == NAMES
    assert scene.plans.figures().held == 0


def test_hold_all_keeps_so_many_pods_waiting_and_treats_the_rest_like_any_other() -> None:
    scene = Scene()
    scene.begin(make_plan(make_quota(), hold="all"))

    assert scene.ask(pending("b", "api"), most_held=1).passed == []
    assert scene.ask(pending("c", "api"), most_held=1).passed == NAMES
    assert scene.ask(pending("b", "api"), most_held=1).passed == []
    assert scene.ask(pending("a"), most_held=1).passed == ["n1"]
    scene.delete(pending("b", "api"))
    assert scene.ask(pending("c", "api"), most_held=1).passed == []


def test_a_hold_that_began_and_ended_while_nobody_looked_wakes_whom_it_kept_waiting() -> None:
    scene = Scene()
    scene.plans.step(0.0)
    scene.begin(make_plan(revision=0, phase=PlanPhase.COMPUTING))
    assert scene.ask(pending("a")).kept_waiting
    scene.plans.told(scene.plans.words(synced=True, now=0.0), {}, now=0.0)

    scene.plans.step(2.5)

    assert scene.was_nudged()
