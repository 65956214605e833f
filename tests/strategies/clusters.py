"""Nodes, pods and whole clusters in any state that the API can show."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from hypothesis import strategies as st

from policies.values.clusters import Cluster
from policies.values.nodes import Node, Taint
from policies.values.pods import Owner, Phase, Pod
from tests.builders import GIB, make_cluster, make_node, make_pod
from tests.strategies.constraints import EFFECTS, KEYS, LABELS, VALUES, constraints, requests
from tests.strategies.figures import times

WORKLOADS = st.sampled_from(("web", "api", "db", "batch"))


@cache
def nodes(name: str = "n1") -> st.SearchStrategy[Node]:
    """A node of any size, the empty one included, perhaps tainted, cordoned or not ready."""
    return st.builds(
        lambda **fields: make_node(name, **fields),
        cpu=st.integers(0, 64_000),
        memory=st.integers(0, 256 * GIB),
        pods=st.integers(0, 110),
        extended=st.dictionaries(st.just("example.invalid/gpu"), st.integers(1, 4), max_size=1),
        labels=LABELS,
        annotations=st.dictionaries(KEYS, VALUES, max_size=1),
        addresses=st.lists(st.sampled_from(("10.0.0.1", "10.0.0.2", name)), unique=True, max_size=2).map(tuple),
        taints=st.lists(st.builds(Taint, KEYS, VALUES | st.just(""), EFFECTS), max_size=2).map(tuple),
        cordoned=st.booleans(),
        ready=st.booleans(),
        terminating=st.booleans(),
        created_at=times(),
    )


def pods(
    name: str = "web-0", *, on: st.SearchStrategy[str | None] | None = None, most_cpu: int = 4000
) -> st.SearchStrategy[Pod]:
    """A pod in any state that the API can show, on one of the nodes `on` (default: `n1`, or none yet)."""
    placed = on if on is not None else st.sampled_from((None, "n1"))
    return placed.flatmap(lambda node: _pods_on(name, node, most_cpu))


@cache
def _pods_on(name: str, node: str | None, most_cpu: int) -> st.SearchStrategy[Pod]:
    bound: Mapping[str, st.SearchStrategy[Any]] = {
        "phase": st.sampled_from(Phase),
        "bound_at": times(),
        "started_at": st.none() | times(),
        "nominated_node": st.none(),
        "unschedulable_since": st.none(),
        "gated": st.just(value=False),
    }
    waiting: Mapping[str, st.SearchStrategy[Any]] = {
        "nominated_node": st.sampled_from((None, "n0", "n1")),
        "unschedulable_since": st.none() | times(),
    }
    return st.builds(
        _pod,
        st.just(name),
        st.just(node),
        WORKLOADS,
        st.none() | times(),
        requests=requests(most_cpu=most_cpu),
        constraints=constraints(),
        labels=LABELS,
        annotations=st.dictionaries(KEYS, VALUES, max_size=1),
        namespace=st.sampled_from(("default", "shop")),
        created_at=times(),
        terminating=st.booleans(),
        grace_seconds=st.integers(0, 120).map(float),
        priority=st.sampled_from((-10, 0, 1000, 2_000_000_000)),
        static=st.booleans(),
        local_storage=st.lists(st.sampled_from(("scratch", "cache")), unique=True).map(tuple),
        claims=st.lists(st.sampled_from(("data", "logs")), unique=True).map(tuple),
        **(bound if node is not None else waiting),
    )


def _pod(name: str, node: str | None, workload: str, ready_since: float | None, **fields: Any) -> Pod:
    """A pod is Ready since some moment, or not at all; only a running one is, and none before it was bound."""
    running = node is not None and fields["phase"] is Phase.RUNNING
    earliest = max(fields["created_at"], fields.get("bound_at") or 0.0)
    since = max(earliest, ready_since) if running and ready_since is not None else None
    if fields.get("started_at") is not None:
        fields["started_at"] = max(earliest, fields["started_at"])
    kinds = {"db": "StatefulSet", "batch": "Job"}
    kind = kinds.get(workload, "ReplicaSet")
    owner = Owner(kind, f"{workload}-rs" if kind == "ReplicaSet" else workload, f"uid-{workload}")
    return make_pod(
        name, node=node, workload=workload, owner=owner, ready=since is not None, ready_since=since, **fields
    )


@st.composite
def clusters(draw: st.DrawFn, *, most_nodes: int = 4, most_pods: int = 6) -> Cluster:
    """A snapshot whose pods stand on its nodes or nowhere yet."""
    names = [f"n{at}" for at in range(draw(st.integers(0, most_nodes)))]
    places = st.sampled_from((None, *names))
    found = [draw(pods(f"pod-{at}", on=places)) for at in range(draw(st.integers(0, most_pods)))]
    return make_cluster([draw(nodes(name)) for name in names], found)
