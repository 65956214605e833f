"""Whatever the order of asks and binds: no promise is broken and no quota exceeded."""

from collections import Counter
from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from policies.placement.filtering import decide_filter
from policies.plans.claims import Claims
from policies.plans.force import PlanInForce
from policies.plans.quotas import Place, bound, wanted
from policies.values.pods import Pod
from tests.builders import make_pod, make_resources
from tests.policies.placement.cases import make_view
from tests.policies.placement.planned import NAMES, NODES
from tests.policies.plans.making import in_force, look_at, make_entry, make_plan, make_quota, pending


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
