"""The plan check: planned pods to their nodes, held ones nowhere, and nobody into what is promised to others."""

from collections import Counter
from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from policies.placement.expected_load import Resident
from policies.placement.filtering import FilterDecision, decide_filter
from policies.placement.preempting import (
    HELD,
    PLAN_FIRST,
    PLANNED,
    PROMISED,
    Option,
    PreemptDecision,
    decide_preempt,
)
from policies.placement.reasons import PLAN_REASONS, TEXTS, Reason
from policies.placement.views import View
from policies.plans.claims import Claims, claim_place
from policies.plans.force import PlanInForce
from policies.plans.quotas import Place, bound, kind, wanted
from policies.values.pods import Constraints, Owner, Pod, PodTerm
from policies.values.selectors import LabelSelector
from tests.builders import make_node, make_pod, make_resources
from tests.policies.placement.cases import make_standing, make_view
from tests.policies.plans.making import SMALL, controller, in_force, look_at, make_entry, make_plan, make_quota, pending

NODES = [make_node(name, cpu=1000) for name in ("n1", "n2", "n3")]
NAMES = ["n1", "n2", "n3"]
BIG = make_resources(cpu=700, pods=1)
FORCE = in_force(make_plan(make_quota()), NODES)
TIGHT = in_force(make_plan(make_quota(requests=BIG)), NODES)


def _filter(pod: Pod, force: PlanInForce = FORCE, *, held: bool = False, **changes: object) -> FilterDecision:
    sight = look_at(pod, force, nodes=NODES, held=held)
    standings = [make_standing("n1", 0.05), make_standing("n2", 0.5), make_standing("n3", 0.5)]
    return decide_filter(pod, NAMES, make_view(*standings, plan=sight, **changes))


def test_a_planned_pod_gets_its_node_although_that_is_congested_and_its_workload_was_evicted_there() -> None:
    decision = _filter(pending("a"), steered={"n1": 1.0})

    assert decision.passed == ["n1"]
    assert decision.refused == {Reason.PLANNED: ["n2", "n3"]}


def test_a_planned_pod_waits_where_its_node_is_not_offered() -> None:
    sight = look_at(pending("a"), FORCE)

    decision = decide_filter(pending("a"), ["n2"], make_view(plan=sight))

    assert decision.passed == []
    assert decision.kept_waiting
    assert not decision.emptied


def test_a_planned_pod_is_kept_off_the_node_that_it_was_nominated_to() -> None:
    assert _filter(pending("a", nominated_node="n2")).passed == ["n1"]


def test_any_other_pod_may_use_what_is_not_promised() -> None:
    assert _filter(pending("b", "api", cpu=300), TIGHT, ratings=make_view().ratings).passed == NAMES
    assert _filter(pending("b", "api", cpu=301), TIGHT).refused == {Reason.RESERVED: ["n1"]}


def test_a_pod_of_higher_priority_is_not_kept_from_what_is_promised_to_a_lower_one() -> None:
    assert Reason.RESERVED not in _filter(pending("b", "api", cpu=301, priority=1), TIGHT).refused


def test_the_nominated_node_passes_whatever_is_promised_there_and_whoever_is_held() -> None:
    pod = pending("b", "api", cpu=900, nominated_node="n1")

    assert _filter(pod, TIGHT).passed == NAMES
    assert _filter(pod, TIGHT, held=True).passed == ["n1"]


def test_a_held_pod_is_refused_every_node() -> None:
    decision = _filter(pending("b", "api"), held=True)

    assert decision.passed == []
    assert decision.refused == {Reason.HELD: NAMES}
    assert decision.kept_waiting


def test_pods_that_we_have_no_say_in_pass() -> None:
    assert _filter(pending("d", owner=Owner("DaemonSet", "d")), TIGHT, held=True).passed == NAMES


def test_a_pod_that_would_shut_a_planned_one_out_is_refused_there() -> None:
    anybody = PodTerm("kubernetes.io/hostname", LabelSelector(), frozenset({"default"}))
    loner = pending("b", "api", constraints=Constraints(anti_affinity=(anybody,)))
    force = in_force(make_plan(make_quota()), NODES, [pending("a")])

    assert _filter(loner, force).refused == {Reason.SHUTS_OUT: ["n1"]}


def test_each_reason_of_a_plan_has_one_text_without_numbers() -> None:
    assert TEXTS.keys() >= PLAN_REASONS
    assert all(text.startswith("node(s) ") and not any(map(str.isdigit, text)) for text in TEXTS.values())
    assert len({*TEXTS.values()}) == len(TEXTS)


# ---------------------------------------------------------------------- whatever the order of asks and binds


@dataclass
class World:
    """Nodes of 10 units, a plan, and a scheduler that binds where the filter let a pod pass and where it fits."""

    force: PlanInForce
    claims: Claims = field(default_factory=Claims)
    pods: dict[str, Pod] = field(default_factory=dict)
    answers: dict[str, list[str]] = field(default_factory=dict)
    admitted: dict[str, Place] = field(default_factory=dict)

    def ask(self, newcomer: Pod) -> None:
        """Ask the filter about all nodes where the pod fits, as kube-scheduler does."""
        pod = self.pods.get(newcomer.uid, newcomer)
        if pod.node is not None:
            return
        self.put(pod)
        sight = look_at(pod, self.force, claims=self.claims, nodes=NODES)
        decision = decide_filter(pod, [name for name in NAMES if self._fits(pod, name)], make_view(plan=sight))
        self.claims.drop(pod.uid)
        claim = sight.claim({*decision.passed}, now=0.0)
        if claim is not None:
            self.claims.put(claim)
        self.answers[pod.uid] = [*decision.passed]

    def bind(self, uid: str, choice: int) -> None:
        """Bind a pod to one of the nodes of its last answer, if it still fits."""
        names = [name for name in self.answers.pop(uid, []) if self._fits(self.pods[uid], name)]
        claim = self.claims.of(uid)
        if names:
            self.put(replace(self.pods[uid], node=names[choice % len(names)]))
            if claim is not None and claim.place is not None:
                self.admitted[uid] = claim.place
            self.claims.drop(uid)

    def fail(self, uid: str) -> None:
        """Let an attempt fail after the answer."""
        self.answers.pop(uid, None)
        self.claims.drop(uid)

    def put(self, pod: Pod) -> None:
        """Let a pod be as it is now."""
        self.force.change(self.pods.get(pod.uid), pod)
        self.pods[pod.uid] = pod

    def delete(self, uid: str) -> None:
        """Let a pod be gone."""
        self.fail(uid)
        self.admitted.pop(uid, None)
        if uid in self.pods:
            self.force.change(self.pods.pop(uid), None)

    def _fits(self, pod: Pod, name: str) -> bool:
        there = sum(other.requests["cpu"] for other in self.pods.values() if other.node == name)
        return there + pod.requests["cpu"] <= 1000


@st.composite
def _worlds(draw: st.DrawFn) -> World:
    """Draw nodes with pods that stay and victims, and quotas that fit beside what stays."""
    pods, quotas = [], []
    for name in NAMES:
        stays, victim = draw(st.integers(0, 6)), draw(st.integers(0, 4))
        pods += [make_pod(f"stays-{name}", node=name, workload="old", cpu=stays * 100)]
        pods += [make_pod(f"victim-{name}", node=name, workload="web", cpu=victim * 100)]
        room = draw(st.integers(0, (10 - stays) // 2))
        quotas += [make_quota(node=name, wanted=room, requests=make_resources(cpu=200, memory=64 * 2**20, pods=1))]
    entries = [make_entry(pod, None) for pod in pods if pod.name.startswith("victim")]
    plan = make_plan(*(quota for quota in quotas if quota.wanted), entries=entries)
    world = World(in_force(plan, NODES))
    for pod in pods:
        world.put(pod)
    return world


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "bind", "burst", "fail", "delete", "evict"]),
        st.integers(0, 7),
        st.integers(0, 2),
        st.integers(1, 5),
    ),
    max_size=20,
)


@settings(max_examples=300)
@given(_worlds(), _STEPS)
def test_no_order_of_asks_and_binds_breaks_a_promise_or_exceeds_a_quota(
    world: World, steps: list[tuple[str, int, int, int]]
) -> None:
    for act, who, choice, size in steps:
        pod = _newcomer(who, size)
        match act:
            case "ask":
                world.ask(pod)
            case "bind":
                world.bind(pod.uid, choice)
            case "burst":
                for other in range(8):
                    world.ask(_newcomer((who + other) % 8, size))
                for other in range(8):
                    world.bind(f"uid-p{(who + size + other) % 8}", choice)
            case "fail":
                world.fail(pod.uid)
            case "delete":
                world.delete(pod.uid)
            case _:
                world.delete(f"uid-victim-{NAMES[choice]}")

        _assert_promises_are_kept(world)


def _newcomer(who: int, size: int) -> Pod:
    """Return one of eight pods: four of the plan's kind, four of others."""
    planned = who < 4
    return pending(f"p{who}", "web" if planned else "api", cpu=200 if planned else size * 100, priority=-(who % 2))


def _assert_promises_are_kept(world: World) -> None:
    for name, reserve in world.force.promised.items():
        assert reserve.room(0).left["cpu"] >= 0, name
    admitted = Counter(world.admitted.values())
    assert all(admitted[place] <= most for place, most in wanted(world.force.plan).items())
    present, most = bound(world.force.plan, world.pods.values()), wanted(world.force.plan)
    awaited = Counter(place for place, count in present.items() if count < most[place])
    assert {place.node for place in awaited} == {*world.force.promised}


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_replicas_that_ask_at_once_share_out_the_places_among_them(order: list[int]) -> None:
    requests = make_resources(cpu=100, memory=64 * 2**20, pods=1)
    plan = make_plan(make_quota(wanted=1, requests=requests), make_quota(node="n2", wanted=2, requests=requests))
    world = World(in_force(plan, NODES))
    for who in order:
        world.ask(pending(f"p{who}"))

    given_out = Counter(
        claim.place.node for who in range(4) if (claim := world.claims.of(f"uid-p{who}")) and claim.place
    )

    assert given_out["n1"] <= 1
    assert given_out["n2"] <= 2
    assert sum(given_out.values()) == min(3, len({*order}))


def test_without_a_plan_nothing_of_it_is_asked() -> None:
    view: View = make_view()

    assert not view.planned
    assert decide_filter(pending("a"), NAMES, view).passed == NAMES


# ---------------------------------------------------------------------- preemption


def _preempt(pod: Pod, force: PlanInForce, *options: Option, held: bool = False, **changes: object) -> PreemptDecision:
    view = make_view(plan=look_at(pod, force, nodes=NODES, held=held), **changes)
    return decide_preempt(pod, options, view)


def _option(node: str, *victims: Pod) -> Option:
    return Option(node, [0] * max(1, len(victims)), victims=[Resident(pod, "db") for pod in victims])


def test_a_planned_pod_preempts_nobody() -> None:
    assert _preempt(pending("a"), FORCE, _option("n1")).veto == PLANNED


def test_nor_does_a_pod_whose_place_another_has_claimed_so_far() -> None:
    claims = Claims()
    claims.put(claim_place(pending("b"), Place(kind(controller(), SMALL), "n1"), now=0.0))
    view = make_view(plan=look_at(pending("a"), FORCE, claims=claims))

    assert decide_preempt(pending("a"), [_option("n1")], view).veto == PLANNED


def test_a_held_pod_preempts_nobody() -> None:
    assert _preempt(pending("b", "api"), FORCE, _option("n1"), held=True).veto == HELD


def test_a_preemption_waits_for_a_plan_that_may_come_first() -> None:
    assert decide_preempt(pending("a"), [_option("n1")], make_view(plan_first=True)).veto == PLAN_FIRST


def test_a_system_critical_pod_waits_for_nobody() -> None:
    critical = pending("a", priority_class="system-node-critical")

    decision = _preempt(critical, FORCE, _option("n1"), held=True, plan_first=True)

    assert decision.kept == ["n1"]
    assert decision.exempt == "system-critical pod"


def test_a_node_whose_room_is_promised_is_no_candidate_even_without_the_victims() -> None:
    victim = make_pod("v", workload="db", cpu=200)
    force = in_force(make_plan(make_quota(requests=BIG)), NODES, [victim])
    pod = pending("b", "api", cpu=400)

    decision = _preempt(pod, force, _option("n1", victim), _option("n2"))

    assert decision.kept == ["n2"]
    assert decision.dropped == {"n1": PROMISED}
    assert _preempt(replace(pod, requests=make_resources(cpu=300)), force, _option("n1", victim)).kept == ["n1"]


def test_a_node_that_a_planned_pod_would_lose_is_no_candidate() -> None:
    anybody = PodTerm("kubernetes.io/hostname", LabelSelector(), frozenset({"default"}))
    loner = pending("b", "api", constraints=Constraints(anti_affinity=(anybody,)))
    force = in_force(make_plan(make_quota()), NODES, [pending("a")])

    assert _preempt(loner, force, _option("n1")) == PreemptDecision(dropped={"n1": PROMISED})
