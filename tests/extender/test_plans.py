"""The plan in force in a replica: taken up from watches, looked at and claimed under by requests, let go by time."""

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from extender.census import Census
from extender.orders import PLAN
from extender.plans import Plans, PlanWord
from policies.placement.filtering import FilterDecision, decide_filter
from policies.values.plans import Plan, PlanPhase, PlanSlot
from policies.values.pods import Pod
from simulator.clock import ManualClock
from tests.builders import NOW, make_node, make_pod, make_resources
from tests.policies.placement.cases import make_view
from tests.policies.plans.making import make_plan, make_quota, pending

SLOT = PlanSlot(plan="p", plan_uid="u", revision=1, holder="a", renewal=1)
NAMES = ["n1", "n2"]
BIG = make_resources(cpu=3800, pods=1)


@dataclass
class Scene:
    """A replica's plans with the census they rest on, fed as the watches do."""

    census: Census = field(default_factory=Census)
    nudged: threading.Event = field(default_factory=threading.Event)
    pods: dict[str, Pod] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.plans = Plans(self.census, nudged=self.nudged)
        for name in NAMES:
            self.census.nodes[name] = make_node(name)

    def begin(self, plan: Plan | None = None, *, now: float = 0.0) -> None:
        """Put a plan in force."""
        taken = plan or make_plan(make_quota())
        self.plans.plan(None, taken, now=now)
        self.plans.slot(replace(SLOT, plan_uid=taken.uid, revision=taken.revision), now=now)
        self.nudged.clear()

    def put(self, pod: Pod) -> None:
        """Let a pod be as it is now."""
        before, self.pods[pod.uid] = self.pods.get(pod.uid), pod
        self.census.put(pod, now=NOW)
        self.plans.pod(before, pod)

    def delete(self, pod: Pod) -> None:
        """Let a pod be gone."""
        self.census.remove(pod.uid, now=NOW)
        self.plans.pod(self.pods.pop(pod.uid), None)

    def ask(self, pod: Pod, *, now: float = 0.0, most_held: int = 50) -> FilterDecision:
        """Ask the filter about both nodes."""
        self.put(pod)
        with self.plans.turn:
            sight = self.plans.sight(pod, most_held=most_held, now=now)
            decision = decide_filter(pod, NAMES, make_view(plan=sight))
            self.plans.answered(sight, pod, decision, now=now)
        return decision

    def was_nudged(self) -> bool:
        """Tell whether sleeping pods are to be woken, and forget it."""
        found = self.nudged.is_set()
        self.nudged.clear()
        return found


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


def _full(scene: Scene) -> FilterDecision:
    """Let one pod claim all that a promise leaves, and another be refused for it; only one node is offered."""
    scene.census.nodes["n2"] = make_node("n2", cpu=0)
    scene.begin(make_plan(make_quota(requests=BIG), make_quota(node="n2", requests=BIG)))
    assert scene.ask(pending("a", "api", cpu=200)).passed == ["n1"]
    refused = scene.ask(pending("b", "api", cpu=200))
    assert refused.kept_waiting
    return refused


def test_whom_a_claim_kept_out_is_woken_when_the_attempt_failed() -> None:
    scene = Scene()
    _full(scene)

    scene.put(pending("a", "api", cpu=200, unscheduled="Unschedulable: 0/2", unschedulable_since=NOW))

    assert scene.was_nudged()
    assert scene.ask(pending("b", "api", cpu=200)).passed == ["n1"]


def test_what_an_earlier_attempt_brought_ends_no_claim() -> None:
    scene = Scene()
    scene.begin(make_plan(make_quota(requests=BIG)))
    pod = pending("a", "api", cpu=200, unscheduled="Unschedulable: 0/2", unschedulable_since=NOW)
    scene.ask(replace(pod, unscheduled="", unschedulable_since=None))
    scene.ask(pod)

    scene.put(pod)

    assert scene.plans.figures().claims == 1


def test_whom_a_claim_kept_out_is_woken_when_its_pod_is_gone_or_five_seconds_have_passed() -> None:
    scene = Scene()
    _full(scene)
    scene.delete(pending("a", "api", cpu=200))
    assert scene.was_nudged()

    later = Scene()
    _full(later)
    later.plans.step(4.9)
    assert not later.was_nudged()
    later.plans.step(5.0)
    assert later.was_nudged()


def test_a_bind_wakes_everybody_by_itself() -> None:
    scene = Scene()
    _full(scene)

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


def test_whom_a_claim_kept_out_is_woken_when_its_pod_asks_again_and_claims_less() -> None:
    scene = Scene()
    _full(scene)
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


def test_a_renewal_that_comes_too_late_brings_no_plan_back() -> None:
    scene = Scene()
    scene.begin()
    assert scene.ask(pending("a"), now=10.1).passed == NAMES  # from here on the plan has lost

    scene.plans.slot(replace(SLOT, renewal=9), now=10.15)

    assert scene.ask(pending("a"), now=10.2).passed == NAMES
    assert scene.plans.figures().dropped == 1


def test_a_hold_that_began_and_ended_while_nobody_looked_wakes_whom_it_kept_waiting() -> None:
    scene = Scene()
    scene.plans.step(0.0)
    scene.begin(make_plan(revision=0, phase=PlanPhase.COMPUTING))
    assert scene.ask(pending("a")).kept_waiting
    scene.plans.told(scene.plans.words(synced=True, now=0.0), {}, now=0.0)

    scene.plans.step(2.5)

    assert scene.was_nudged()


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
