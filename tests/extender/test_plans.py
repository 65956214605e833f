"""The plan in force in a replica: taken up from watches, seen by requests, let go by time."""

import math
from collections.abc import Mapping
from dataclasses import replace

from extender.orders import PLAN
from extender.plans import Plans, PlanWord
from simulator.clock import ManualClock
from tests.builders import make_node, make_pod
from tests.extender.planned import BIG, NAMES, SLOT, Scene
from tests.policies.plans.making import make_plan, make_quota, pending


def test_without_a_plan_nothing_is_seen_or_kept() -> None:
    scene = Scene()

    assert scene.ask(pending("a")).passed == NAMES
    assert scene.plans.figures().plan is None
    assert scene.plans.figures().claims == 0


def test_pods_that_came_before_the_plan_and_after_it_are_counted() -> None:
    scene = Scene()
    scene.put(make_pod("old"))
    scene.put(pending("young"))
    scene.begin(make_plan(make_quota(wanted=2)))

    assert scene.ask(pending("a")).passed == ["n1"]
    scene.put(make_pod("a"))
    assert scene.ask(pending("b")).passed == NAMES
    scene.delete(make_pod("old"))
    assert scene.ask(pending("b")).passed == ["n1"]


def test_a_node_that_grows_is_seen() -> None:
    scene = Scene()
    scene.begin(make_plan(make_quota(requests=BIG)))
    assert scene.ask(pending("a", "api", cpu=300)).passed == ["n2"]

    scene.census.nodes["n1"] = make_node("n1", cpu=8000)
    scene.plans.node("n1", make_node("n1", cpu=8000))

    assert scene.ask(pending("a", "api", cpu=300)).passed == NAMES


def test_a_plan_whose_slot_is_silent_is_dropped_and_whoever_waits_is_woken() -> None:
    scene = Scene()
    scene.begin()
    assert scene.ask(pending("a"), now=10.0).passed == ["n1"]

    assert scene.ask(pending("a"), now=10.1).passed == NAMES  # nobody has looked at the clock yet
    scene.plans.step(10.1)

    assert scene.was_nudged()
    assert scene.plans.figures().dropped == 1
    scene.plans.slot(replace(SLOT, renewal=5), now=11.0)
    assert scene.ask(pending("a"), now=11.0).passed == NAMES


def test_a_leader_lives_whose_lease_was_seen_or_has_changed() -> None:
    plans = Plans()
    assert math.isinf(plans.leader_silent_for(0.0))

    plans.leader(("d", "1"), now=1.0)
    assert plans.leader_silent_for(2.0) == 1.0
    plans.leader(("d", "2"), now=3.0)
    assert plans.leader_silent_for(5.0) == 2.0
    plans.leader(("", "3"), now=5.0)
    assert math.isinf(plans.leader_silent_for(5.0))
    plans.leader(("d", "4"), now=6.0)
    plans.leader(None, now=6.0)
    assert math.isinf(plans.leader_silent_for(6.0))


def test_the_first_preempt_call_counts_until_the_pod_is_bound() -> None:
    scene, pod = Scene(), pending("a")
    assert scene.plans.preempting_for(pod, now=1.0) == 0.0
    assert scene.plans.preempting_for(pod, now=4.0) == 3.0

    scene.put(make_pod("a"))

    assert scene.plans.preempting_for(pod, now=9.0) == 0.0


def test_our_lease_speaks_of_a_plan_once_all_pods_are_known(clock: ManualClock) -> None:
    scene, synced = Scene(), [False]
    scene.begin()
    word = PlanWord(scene.plans, synced=lambda: synced[0], clock=clock)
    before: Mapping[str, str | None] = word.words()

    synced[0] = True
    word.told(word.words(), {}, at=clock.monotonic())

    assert before == {PLAN: None}
    assert word.words() == {PLAN: "u/1"}
    assert scene.plans.orders.obeyed is not None
    assert scene.plans.orders.obeyed.told_at == clock.monotonic()


def test_a_renewal_that_comes_too_late_brings_no_plan_back() -> None:
    scene = Scene()
    scene.begin()
    assert scene.ask(pending("a"), now=10.1).passed == NAMES  # from here on the plan has lost

    scene.plans.slot(replace(SLOT, renewal=9), now=10.15)

    assert scene.ask(pending("a"), now=10.2).passed == NAMES
    assert scene.plans.figures().dropped == 1
