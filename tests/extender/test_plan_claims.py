"""Claims under a plan: who asked for room keeps it until seen bound, nominated, refused or gone."""

import math
from dataclasses import replace

from policies.placement.filtering import decide_filter
from tests.builders import NOW, make_pod
from tests.extender.planned import BIG, NAMES, Scene
from tests.policies.placement.cases import make_view
from tests.policies.plans.making import make_plan, make_quota, pending


def test_two_replicas_that_ask_at_once_do_not_take_the_same_place() -> None:
    scene = Scene()
    scene.begin(make_plan(make_quota(), make_quota(node="n2")))

    assert scene.ask(pending("a")).passed == ["n1"]
    assert scene.ask(pending("b")).passed == ["n2"]
    assert scene.ask(pending("a")).passed == ["n1"]
    assert scene.plans.figures().claims == 2


def test_a_bound_pod_has_claimed_no_more() -> None:
    scene = Scene()
    scene.begin(make_plan(make_quota(wanted=2)))
    scene.ask(pending("a"))

    scene.put(make_pod("a"))

    assert scene.plans.figures().claims == 0
    assert scene.plans.figures().awaited == 1


def test_what_an_earlier_attempt_brought_ends_no_claim() -> None:
    scene = Scene()
    scene.begin(make_plan(make_quota(requests=BIG)))
    pod = pending("a", "api", cpu=200, unscheduled="Unschedulable: 0/2", unschedulable_since=NOW)
    scene.ask(replace(pod, unscheduled="", unschedulable_since=None))
    scene.ask(pod)

    scene.put(pod)

    assert scene.plans.figures().claims == 1


def test_a_nominated_pod_takes_its_room_on_that_node_only() -> None:
    scene = Scene()
    plan = make_plan(make_quota(requests=BIG), make_quota(node="n2", requests=BIG))
    scene.begin(plan)
    pod = pending("a", "api", cpu=200)
    scene.ask(pod)
    assert scene.ask(pending("b", "api", cpu=200)).passed == []

    scene.put(replace(pod, nominated_node="n2"))

    assert scene.plans.figures().claims == 0
    assert scene.ask(pending("b", "api", cpu=200)).passed == ["n1"]


def test_the_place_of_a_planned_pod_whose_bind_takes_long_is_kept() -> None:
    scene = Scene()
    scene.begin()
    scene.ask(pending("a"))
    scene.put(pending("a", nominated_node="n1"))

    scene.plans.step(9.0)
    assert scene.ask(pending("b"), now=9.0).passed == ["n2"]
    claim = scene.plans.sight(pending("a"), most_held=0, now=9.0)

    assert claim is not None
    assert claim.claims.of("uid-a") is not None
    assert math.isinf(claim.claims.of("uid-a").until)  # type: ignore[union-attr]  # as just asserted


def test_who_may_preempt_claims_the_room_until_he_is_seen_nominated() -> None:
    scene = Scene()
    scene.begin(make_plan(make_quota(requests=BIG), make_quota(node="n2", requests=BIG)))
    pod = pending("a", "api", cpu=200, priority=0)

    with scene.plans.turn:
        scene.plans.preempts(scene.plans.sight(pod, most_held=0, now=0.0), pod, ["n1"], now=0.0)
    assert scene.ask(pending("b", "api", cpu=200)).passed == ["n2"]

    scene.put(replace(pod, nominated_node="n1"))
    assert scene.plans.figures().claims == 1  # b's
    assert scene.ask(pending("c", "api", cpu=200)).passed == []


def test_a_preemption_that_is_vetoed_ends_no_claim() -> None:
    scene = Scene()
    scene.begin()
    scene.ask(pending("a"))

    scene.plans.preempts(scene.plans.sight(pending("a"), most_held=0, now=0.0), pending("a"), [], now=0.0)
    scene.plans.preempts(None, pending("a"), ["n1"], now=0.0)

    assert scene.plans.figures().claims == 1


def test_an_answer_that_comes_after_the_bind_claims_nothing_and_lets_nobody_wait() -> None:
    scene = Scene()
    scene.begin(make_plan(make_quota(), hold="all"))
    scene.put(make_pod("a"))
    scene.put(make_pod("b", workload="api"))

    for pod in (pending("a"), pending("b", "api")):
        sight = scene.plans.sight(pod, most_held=50, now=0.0)
        scene.plans.answered(sight, pod, decide_filter(pod, NAMES, make_view(plan=sight)), now=0.0)

    assert (scene.plans.figures().claims, scene.plans.figures().waiting) == (0, 0)


def test_pods_that_come_and_go_while_a_plan_is_in_force_leave_nothing_behind() -> None:
    scene = Scene()
    scene.begin(make_plan(make_quota(requests=BIG), hold="all"))
    for number in range(500):
        pod = pending(f"p{number}", "web" if number % 2 else f"job-{number}", cpu=100 + number)
        scene.ask(pod)
        scene.plans.preempting_for(pod, now=0.0)
        if number % 3:
            scene.put(replace(pod, nominated_node="n1"))
        if number % 5:
            scene.put(replace(pod, node="n1"))
        scene.delete(pod)

    force = scene.plans._force
    assert force is not None
    assert (scene.plans.figures().claims, scene.plans.figures().waiting, len(scene.plans.preempting)) == (0, 0, 0)
    assert force._standing == {"n1": {}}
    assert force._waiting == {"n1": {}}
    assert len(force.samples) <= 1
    assert len(force.promised["n1"]._rooms) <= 1
