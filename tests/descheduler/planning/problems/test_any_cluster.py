"""Whatever the cluster: a problem is built, doing nothing is valid, and what the checker accepts can be bound."""

import threading
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from hypothesis import event, given, settings
from hypothesis import strategies as st

from descheduler.optimiser.checking import Rule, check
from descheduler.optimiser.guarding import GuardedSolver
from descheduler.optimiser.opening import in_process
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options, doing_nothing
from descheduler.planning.problems.building import Built, build
from descheduler.planning.problems.measured import Measured
from descheduler.planning.problems.plans import to_plan
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicates import feasible
from policies.plans.quotas import kind_of
from policies.rails.view import View
from policies.values.clusters import Cluster
from policies.values.nodes import Node, Taint
from policies.values.plans import Headcount, Plan, PlanAction, Quota
from policies.values.pods import Constraints, HostPort, Owner, Pod, PodTerm, SpreadConstraint
from policies.values.selectors import LabelSelector, Operator, Requirement
from policies.values.standings import NodeStanding
from policies.values.volumes import Claim, CsiDriver, CsiNode, Volume
from tests import strategies
from tests.builders import make_cluster, make_node, make_pod
from tests.descheduler.planning.problems.paper import TEMPLATE, make_policy, make_situation, solution

T = TypeVar("T")
OPTIONS = Options(evict_for_count=True)
SOLVER = GuardedSolver(in_process("bayplan"))
UNGAINFUL = {Rule.VECTOR, Rule.USAGE}


SELECTORS = st.sampled_from([LabelSelector((Requirement("app", Operator.IN, (name,)),)) for name in ("web", "api")])
TERMS = st.builds(PodTerm, strategies.TOPOLOGIES, SELECTORS, st.just(frozenset({"default"})))
SPREADS = st.builds(
    SpreadConstraint,
    strategies.TOPOLOGIES,
    st.integers(1, 2),
    SELECTORS,
    st.integers(1, 3),
    honour_affinity=st.booleans(),
    honour_taints=st.booleans(),
)


def rarely(items: st.SearchStrategy[T]) -> st.SearchStrategy[tuple[T, ...]]:
    """One item, or more often none."""
    return st.one_of(st.just(()), st.just(()), items.map(lambda item: (item,)))


CONSTRAINTS = st.builds(
    Constraints,
    node_selector=rarely(st.just(("disk", "a"))),
    affinity=rarely(TERMS),
    anti_affinity=rarely(TERMS),
    spread=rarely(SPREADS),
    host_ports=rarely(st.builds(HostPort, st.just(80), st.just("TCP"), st.sampled_from(("", "10.0.0.1", "10.0.0.2")))),
)


@st.composite
def busy_clusters(draw: st.DrawFn) -> Cluster:
    """A cluster on which much may move, and whose pods have a say in where the others stand."""
    zones = draw(st.lists(st.sampled_from(("a", "a", "b")), min_size=2, max_size=4))
    nodes = [
        make_node(
            f"n{at}",
            cpu=draw(st.sampled_from((200, 300, 400))),
            labels={"topology.kubernetes.io/zone": zone, "disk": draw(st.sampled_from(("a", "b")))},
            taints=draw(rarely(st.just(Taint("own", "", "NoSchedule")))) if at > 1 else (),
        )
        for at, zone in enumerate(zones)
    ]
    places = st.sampled_from((None, *(node.name for node in nodes)))
    pods = [draw(busy_pods(f"pod-{at}", places)) for at in range(draw(st.integers(3, 8)))]
    disks = [name for pod in pods for name in pod.claims]
    return make_cluster(
        nodes,
        pods,
        claims={f"default/{name}": Claim(namespace="default", name=name, volume=name) for name in disks},
        volumes={name: Volume(name=name, driver="disk") for name in disks},
        csi_nodes={node.name: draw(csi_nodes(node, pods)) for node in nodes},
        csi_drivers={"disk": CsiDriver(name="disk", needed=draw(st.booleans()))},
    )


def csi_nodes(node: Node, pods: Iterable[Pod]) -> st.SearchStrategy[CsiNode]:
    """A node with the driver, or where nobody needs it yet, perhaps without."""
    used = any(pod.claims for pod in pods if pod.node == node.name)
    drivers = st.sampled_from((frozenset({"disk"}), frozenset({"disk"} if used else ())))
    return st.builds(CsiNode, name=st.just(node.name), attachable=attachable(node, pods), drivers=drivers)


def attachable(node: Node, pods: Iterable[Pod]) -> st.SearchStrategy[dict[str, int]]:
    """No limit, or one that is not exceeded yet."""
    there = sum(len(pod.claims) for pod in pods if pod.node == node.name)
    return st.sampled_from(({}, {"disk": there}, {"disk": there + 1}, {"disk": there + 2}))


def busy_pods(name: str, places: st.SearchStrategy[str | None]) -> st.SearchStrategy[Pod]:
    """A pod of `web` or `api` that is placed, moved, or fixed as it has no controller."""
    return st.builds(
        lambda node, workload, bare, **fields: replace(
            make_pod(name, node=node, workload=f"{name}-{workload}", labels={"app": workload}, **fields),
            owner=None if bare else Owner("ReplicaSet", f"{name}-{workload}-rs"),
        ),
        places,
        st.sampled_from(("web", "api")),
        st.sampled_from((False, False, False, True)),
        cpu=st.sampled_from((50, 100, 200)),
        claims=st.sampled_from(((), (), (f"{name}-a",), (f"{name}-a", f"{name}-b"))),
        constraints=CONSTRAINTS,
        priority=st.sampled_from((0, 0, 1000)),
    )


@st.composite
def answers(draw: st.DrawFn, problem: Problem) -> Assignment:
    """An answer that the checker accepts, grown from doing nothing by random changes."""
    places = list(doing_nothing(problem))
    for at in draw(st.permutations(range(len(problem.items)))):
        for choice in draw(st.permutations((None, *range(len(problem.sites))))):
            trial = (*places[:at], choice, *places[at + 1 :])
            if valid(problem, trial):
                places = list(trial)
                break
    return tuple(places)


def valid(problem: Problem, assignment: Assignment) -> bool:
    """Tell whether an answer is possible, be it of use or not."""
    return all(violation.rule in UNGAINFUL for violation in check(problem, assignment, OPTIONS))


@given(strategies.clusters(), strategies.standings("n1"))
def test_doing_nothing_is_always_valid(cluster: Cluster, standing: NodeStanding) -> None:
    measured = Measured(standings={"n1": standing})

    built = build(make_situation(cluster), measured=measured, relief=frozenset(cluster.pods))

    assert check(built.problem, doing_nothing(built.problem), Options()) == ()


@given(strategies.clusters())
def test_every_pod_has_one_fate(cluster: Cluster) -> None:
    built = build(make_situation(cluster))

    items = {pod.uid for pod in built.pods}
    live = {pod.uid for pod in cluster.pods.values() if not pod.ended}
    assert items | built.fixed.keys() | built.left_out.keys() == live
    assert len(items) + len(built.fixed) + len(built.left_out) == len(live)


@settings(max_examples=120)
@given(st.data(), busy_clusters())
def test_what_the_checker_accepts_can_be_bound(data: st.DataObject, cluster: Cluster) -> None:
    built = build(make_situation(cluster, make_policy(max_disruptions=500)))
    assignment = data.draw(answers(built.problem))

    plan = to_plan(built, solution(assignment), TEMPLATE)

    assert isinstance(plan, Plan)
    event(f"{len(plan.disruptions)} disruptions, {len(plan.entries) - len(plan.disruptions)} placements")
    assert unbindable(built, plan) == []


def unbindable(built: Built, plan: Plan) -> list[str]:
    """Evict as the plan says, then bind whoever can be bound; return who is left in the end."""
    evicted = {entry.uid for entry in plan.disruptions}
    pods = {uid: pod for uid, pod in built.situation.cluster.pods.items() if uid not in evicted}
    waiting = [(built.situation.cluster.pods[entry.uid], entry.target) for entry in plan.entries if entry.target]
    while chosen := next((pair for pair in waiting if bindable(pair, pods, built)), None):
        waiting.remove(chosen)
        pods[chosen[0].uid] = replace(chosen[0], node=chosen[1])
    return [f"{pod} on {target}" for pod, target in waiting]


def bindable(pair: tuple[Pod, str], pods: dict[str, Pod], built: Built) -> bool:
    """Tell whether kube-scheduler would put a pod on its node now."""
    pod = replace(pair[0], node=None)
    cluster = replace(built.situation.cluster, pods={**pods, pod.uid: pod})
    return feasible(pod, pair[1], Occupancy(View(cluster, ()))) is None


@given(st.data(), busy_clusters())
def test_quotas_and_headcounts_add_up_to_the_pods_of_each_kind(data: st.DataObject, cluster: Cluster) -> None:
    built = build(make_situation(cluster))
    plan = to_plan(built, solution(data.draw(answers(built.problem))), TEMPLATE)

    assert isinstance(plan, Plan)
    for count in plan.headcounts:
        wanted = sum(quota.wanted for quota in plan.quotas if alike(quota, count))
        assert wanted + count.unplaced == of_kind(cluster.pods.values(), count)
    assert all(entry.target is None or entry.action is not PlanAction.EVICT for entry in plan.entries)


def alike(quota: Quota, count: Headcount) -> bool:
    return (quota.controller, quota.requests) == (count.controller, count.requests)


def of_kind(pods: Iterable[Pod], count: Headcount) -> int:
    kinds = (kind_of(pod) for pod in pods if not pod.ended and not pod.terminating)
    return sum(kind == (count.controller, count.requests) for kind in kinds)


@settings(max_examples=15)
@given(busy_clusters())
def test_what_the_solver_finds_can_be_bound(cluster: Cluster) -> None:
    built = build(make_situation(cluster, make_policy(max_disruptions=500)))

    found = SOLVER.solve(built.problem, Options(deterministic=0.05, workers=1), threading.Event())
    plan = to_plan(built, found, TEMPLATE)

    assert isinstance(plan, Plan)
    event(f"{len(plan.disruptions)} disruptions, {len(plan.entries) - len(plan.disruptions)} placements, {found.proof}")
    assert unbindable(built, plan) == []
    order = [index_of(built, entry.uid) for entry in plan.disruptions]
    assert check(built.problem, found.assignment, Options(), steps=order) == ()


def index_of(built: Built, uid: str) -> int:
    return next(at for at, pod in enumerate(built.pods) if pod.uid == uid)
