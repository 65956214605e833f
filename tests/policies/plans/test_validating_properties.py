"""Whatever plan is called valid keeps every promise by an arithmetic of its own: room, floors, budgets, and order."""

from collections import Counter
from dataclasses import replace
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from policies.model.limits import Limit
from policies.plans.validating import invalid
from policies.values.clusters import Cluster
from policies.values.pdbs import Pdb
from policies.values.plans import Plan
from policies.values.pods import Pod
from policies.values.records import EvictionRecord
from policies.values.selectors import LabelSelector, Operator, Requirement
from tests.builders import NOW, make_cluster, make_node, make_pod, make_workload
from tests.policies.plans.plan_builders import make_plan
from tests.policies.plans.test_rails import make_plan_policy
from tests.policies.situations import make_record, make_situation

NODES: Final = ("n1", "n2", "n3")
APPS: Final = ("web", "api", "db")
LIMITS: Final = (Limit(scope="node", max=2, window=600.0), Limit(scope="cluster", max=3, window=600.0))


@st.composite
def crowded(draw: st.DrawFn) -> Cluster:
    """Three nodes of a thousand milli-cores, up to three replicas of three workloads, some waiting; PDBs."""
    pods = [
        make_pod(
            f"{app}-{at}",
            workload=app,
            node=draw(st.sampled_from((None, *NODES, *NODES))),
            cpu=draw(st.sampled_from((100, 200, 400))),
            priority=draw(st.sampled_from((0, 10))),
        )
        for app in APPS
        for at in range(draw(st.sampled_from((1, 2, 3, 3))))
    ]
    allowed = st.integers(0, 2)
    pdbs = tuple(_pdb(app, draw(allowed)) for app in APPS if draw(st.booleans()))
    workloads = [make_workload(app, wanted=sum(pod.labels["app"] == app for pod in pods)) for app in APPS]
    return make_cluster([make_node(name, cpu=1000) for name in NODES], pods, workloads, pdbs=pdbs)


def _pdb(app: str, allowed: int) -> Pdb:
    selector = LabelSelector((Requirement("app", Operator.IN, (app,)),))
    return Pdb(namespace="default", name=app, selector=selector, disruptions_allowed=allowed)


@st.composite
def with_plan(draw: st.DrawFn) -> tuple[Cluster, Plan]:
    """A cluster and any plan for it, good or bad."""
    cluster = draw(crowded())
    pods = sorted(cluster.pods.values(), key=str)
    goals: dict[str, str | None] = {}
    for pod in draw(st.lists(st.sampled_from(pods), min_size=1, max_size=4, unique_by=str)):
        others = [name for name in NODES if name != pod.node]
        goals[pod.name] = draw(st.sampled_from(others if pod.node is None else (*others, *others, None)))
    running = {pod.name for pod in cluster.pods.values() if pod.node is not None}
    move = {name: node for name, node in goals.items() if name in running and node is not None}
    place = {name: node for name, node in goals.items() if name not in running and node is not None}
    evict = [name for name, node in goals.items() if name in running and node is None]
    return cluster, make_plan(cluster, move=move, place=place, evict=evict)


def records(nodes: list[str]) -> tuple[EvictionRecord, ...]:
    """Return a single eviction of a minute ago from each of these nodes."""
    return tuple(make_record(f"old-{at}", workload=f"old{at}", node=node, ago=60) for at, node in enumerate(nodes))


def ends(cluster: Cluster, plan: Plan) -> dict[str, list[Pod]]:
    """Return who stands on each node in the end."""
    goals = {entry.uid: entry.target for entry in plan.entries}
    found: dict[str, list[Pod]] = {}
    for uid, pod in cluster.pods.items():
        node = goals.get(uid, pod.node)
        if node is not None:
            found.setdefault(node, []).append(pod)
    return found


@given(with_plan(), st.lists(st.sampled_from(NODES), max_size=2))
def test_a_valid_plan_keeps_all_its_promises(drawn: tuple[Cluster, Plan], evicted: list[str]) -> None:
    cluster, plan = drawn
    policy = make_plan_policy(max_disruptions=3, eviction={"limits": LIMITS})
    situation = make_situation(cluster, policy=policy, records=records(evicted))

    if invalid(plan, situation) is not None:
        return

    receiving = {entry.target for entry in plan.entries if entry.target is not None}
    for node, pods in ends(cluster, plan).items():
        assert node not in receiving or sum(pod.requests["cpu"] for pod in pods) <= 1000
    sources = Counter(entry.source for entry in plan.disruptions)
    assert all(count + evicted.count(str(node)) <= 2 for node, count in sources.items())
    assert sources.total() + (len(evicted) if sources else 0) <= 3
    apps = Counter(cluster.pods[entry.uid].labels["app"] for entry in plan.disruptions)
    assert all(count == 1 for count in apps.values())
    assert all(apps[pdb.name] <= (pdb.disruptions_allowed or 0) for pdb in cluster.pdbs)
    for app in apps:
        ready = [pod for pod in cluster.pods.values() if pod.labels["app"] == app and pod.ready]
        assert len(ready) - 1 >= 1
    lost = [entry.priority for entry in plan.disruptions if entry.target is None]
    gained = [entry.priority for entry in plan.entries if entry.source is None]
    assert not lost or max(gained, default=-1) > max(lost)


@given(with_plan())
def test_a_plan_that_is_valid_beside_other_evictions_is_valid_without_them(drawn: tuple[Cluster, Plan]) -> None:
    cluster, plan = drawn
    policy = make_plan_policy(eviction={"limits": LIMITS})
    busy = make_situation(cluster, policy=policy, records=records(["n1"]))

    if invalid(plan, busy) is None:
        assert invalid(plan, make_situation(cluster, policy=policy)) is None


@given(with_plan(), st.sampled_from(NODES))
def test_more_room_never_makes_a_valid_plan_invalid(drawn: tuple[Cluster, Plan], node: str) -> None:
    cluster, plan = drawn
    wider = replace(cluster, nodes={**cluster.nodes, node: make_node(node, cpu=4000)})

    if invalid(plan, make_situation(cluster, policy=make_plan_policy())) is None:
        assert invalid(plan, make_situation(wider, policy=make_plan_policy())) is None


@given(with_plan(), st.integers(0, 8))
def test_any_pod_that_comes_goes_or_moves_is_noticed(drawn: tuple[Cluster, Plan], which: int) -> None:
    cluster, plan = drawn
    touched = [entry.uid for entry in plan.entries]
    uid = touched[which % len(touched)]
    without = replace(cluster, now=NOW, pods={other: pod for other, pod in cluster.pods.items() if other != uid})

    refusal = invalid(plan, make_situation(without, policy=make_plan_policy()))

    assert refusal is not None
    assert refusal.rail == "plan-drift"
