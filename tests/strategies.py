"""Hypothesis strategies for the values that decisions take: quantities to clusters, signals, policies.

They stay inside what the API server and the policy accept; a test that wants malformed input makes its own. Small
alphabets on purpose: selectors, taints and owners meet their counterparts often.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from policies.model.buoyancy import Buoyancy
from policies.model.eviction import Eviction
from policies.model.limits import Limit
from policies.model.policy import Policy
from policies.model.scope import Selector
from policies.model.signals import ResourceSignal, Signals
from policies.model.slos import Slo
from policies.values.clusters import Cluster
from policies.values.nodes import Node, Taint
from policies.values.pods import Constraints, HostPort, Owner, Phase, Pod, PodTerm, SpreadConstraint, Toleration
from policies.values.resources import CPU, MEMORY, PODS, Resources
from policies.values.selectors import LabelSelector, NodeSelectorTerm, Operator, Requirement
from policies.values.signals import Freshness, Grid, ResourceReadings, SignalHistory
from policies.values.standings import Confidence, NodeStanding
from tests.builders import GIB, HOUR, NOW, make_cluster, make_node, make_pod, make_resources

KEYS = st.sampled_from(("app", "tier", "disk", "topology.kubernetes.io/zone"))
VALUES = st.sampled_from(("a", "b", "web", "1", "20"))
LABELS = st.dictionaries(KEYS, VALUES, max_size=3)
EFFECTS = st.sampled_from(("NoSchedule", "NoExecute", "PreferNoSchedule"))
WORKLOADS = st.sampled_from(("web", "api", "db", "batch"))
TOPOLOGIES = st.sampled_from(("kubernetes.io/hostname", "topology.kubernetes.io/zone"))

# ---------------------------------------------------------------------- numbers

_SUFFIXES = ("", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")


@cache
def quantities() -> st.SearchStrategy[str]:
    """Texts that are Kubernetes quantities, decimals, signs and exponents included."""
    numbers = st.one_of(
        st.integers(0, 10**6).map(str),
        st.decimals(0, 10**4, places=3).map(str),
        st.integers(0, 999).map(lambda number: f".{number}"),
    )
    signed = st.builds(lambda sign, number: sign + number, st.sampled_from(("", "+", "-")), numbers)
    exponents = st.integers(-9, 12).map(lambda power: f"e{power}")
    return st.builds(lambda number, suffix: number + suffix, signed, st.sampled_from(_SUFFIXES) | exponents)


@cache
def unit_floats() -> st.SearchStrategy[float]:
    """Numbers from 0 to 1, both ends often."""
    return st.sampled_from((0.0, 1.0)) | st.floats(0, 1)


@cache
def any_floats() -> st.SearchStrategy[float]:
    """Whatever a query may give: NaN, infinities, negative and enormous numbers."""
    return st.sampled_from((np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300)) | st.floats(-10, 10)


@cache
def times() -> st.SearchStrategy[float]:
    """Whole Unix seconds of the last day, as the API gives them."""
    return st.integers(int(NOW - 24 * HOUR), int(NOW)).map(float)


# ---------------------------------------------------------------------- resources, selectors, constraints


@cache
def requests(*, most_cpu: int = 4000) -> st.SearchStrategy[Resources]:
    """What a pod asks for: CPU and memory, one slot, sometimes an extended resource."""
    return st.builds(
        lambda cpu, memory, gpus: make_resources(cpu=cpu, memory=memory, **{PODS: 1, "example.invalid/gpu": gpus}),
        st.integers(0, most_cpu),
        st.integers(0, 8 * GIB),
        st.sampled_from((0, 0, 0, 1, 2)),
    )


@cache
def requirements(*, for_nodes: bool = False) -> st.SearchStrategy[Requirement]:
    """Requirements of a label selector; those of nodes compare numbers too."""
    several = st.lists(VALUES, min_size=1, max_size=2, unique=True).map(tuple)
    listed = st.builds(Requirement, KEYS, st.sampled_from((Operator.IN, Operator.NOT_IN)), several)
    bare = st.builds(Requirement, KEYS, st.sampled_from((Operator.EXISTS, Operator.DOES_NOT_EXIST)))
    number = st.sampled_from((("1",), ("15",)))
    compared = st.builds(Requirement, KEYS, st.sampled_from((Operator.GREATER, Operator.LESS)), number)
    return st.one_of(listed, bare, compared) if for_nodes else listed | bare


@cache
def selectors() -> st.SearchStrategy[LabelSelector]:
    """Label selectors, the empty one among them."""
    return st.lists(requirements(), max_size=2).map(lambda found: LabelSelector(tuple(found)))


@cache
def node_terms() -> st.SearchStrategy[NodeSelectorTerm]:
    """Alternatives of a required node affinity, the empty one (no node) among them."""
    name = st.builds(
        lambda operator, node: Requirement("metadata.name", operator, (node,)),
        st.sampled_from((Operator.IN, Operator.NOT_IN)),
        st.sampled_from(("n0", "n1", "n2")),
    )
    expressions = st.lists(requirements(for_nodes=True), max_size=2).map(tuple)
    return st.builds(NodeSelectorTerm, expressions, st.lists(name, max_size=1).map(tuple))


@cache
def tolerations() -> st.SearchStrategy[Toleration]:
    """Tolerations, the one of everything among them."""
    equal = st.builds(Toleration, KEYS, st.just("Equal"), VALUES, EFFECTS | st.just(""))
    present = st.builds(Toleration, KEYS | st.just(""), st.just("Exists"), st.just(""), EFFECTS | st.just(""))
    return equal | present


@cache
def pod_terms() -> st.SearchStrategy[PodTerm]:
    """Required affinity terms in the pod's namespace, in others, or in all."""
    spaces = st.frozensets(st.sampled_from(("default", "shop")), min_size=1)
    named = st.builds(PodTerm, TOPOLOGIES, selectors(), spaces)
    everywhere = st.builds(PodTerm, TOPOLOGIES, selectors(), st.just(frozenset[str]()), selectors())
    return named | everywhere


@cache
def constraints() -> st.SearchStrategy[Constraints]:
    """Where a pod may stand; mostly unconstrained in each respect."""
    spread = st.builds(SpreadConstraint, TOPOLOGIES, st.integers(1, 3), selectors(), st.integers(1, 3))
    port = st.builds(HostPort, st.integers(8000, 8002), st.sampled_from(("TCP", "UDP")))
    return st.builds(
        Constraints,
        node_selector=LABELS.map(lambda labels: tuple(sorted(labels.items())[:1])),
        node_terms=st.none() | st.lists(node_terms(), min_size=1, max_size=2).map(tuple),
        tolerations=st.lists(tolerations(), max_size=2).map(tuple),
        affinity=st.lists(pod_terms(), max_size=1).map(tuple),
        anti_affinity=st.lists(pod_terms(), max_size=1).map(tuple),
        spread=st.lists(spread, max_size=1).map(tuple),
        host_ports=st.lists(port, max_size=1).map(tuple),
    )


# ---------------------------------------------------------------------- nodes, pods, clusters


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


# ---------------------------------------------------------------------- signals and standings


@st.composite
def grids(
    draw: st.DrawFn,
    *,
    objects: tuple[str, ...] = ("n0", "n1", "n2"),
    columns: int = 8,
    values: st.SearchStrategy[float] | None = None,
    verified: bool | None = None,
) -> Grid:
    """What one query says: fresh numbers with stale, missing and NaN among them. Only a fresh value is a number."""
    cells = len(objects) * columns
    states = draw(st.lists(st.sampled_from((Freshness.FRESH, *Freshness)), min_size=cells, max_size=cells))
    numbers = draw(st.lists(st.floats(-1, 3) if values is None else values, min_size=cells, max_size=cells))
    ages = draw(st.lists(st.floats(0, 300), min_size=cells, max_size=cells))
    shape = (len(objects), columns)
    raw = np.array(numbers, dtype=float).reshape(shape)
    seen = np.array(states, np.uint8).reshape(shape)
    seen[~np.isfinite(raw) & (seen == Freshness.FRESH)] = Freshness.NAN
    known = np.where(seen == Freshness.MISSING, np.nan, np.array(ages, dtype=float).reshape(shape))
    sure = draw(st.booleans()) if verified is None else verified
    return Grid.of(objects, values=raw, states=seen, ages=known, verified=sure)


@st.composite
def histories(
    draw: st.DrawFn, *, nodes: tuple[str, ...] = ("n0", "n1", "n2"), columns: int = 8, step: float = 15.0
) -> SignalHistory:
    """Readings of CPU (with pressure, pods and workloads) and of memory, and of one SLO by pod."""
    one_each = {"objects": ("default/web-0", "default/api-0"), "columns": 1}
    cpu = ResourceReadings(
        node=draw(grids(objects=nodes, columns=columns)),
        pressure=draw(st.none() | grids(objects=nodes, columns=columns)),
        pod=draw(st.none() | grids(**one_each)),  # type: ignore[arg-type]  # spelled out once for both
        workload=draw(st.none() | grids(objects=("default/web", "default/api"), columns=1)),
    )
    memory = ResourceReadings(node=draw(grids(objects=nodes, columns=columns)))
    slo = draw(grids(objects=("default/web-0", "default/api-0"), columns=columns))
    moments = NOW - step * np.arange(columns - 1, -1, -1, dtype=float)
    return SignalHistory(times=moments, step=step, resources={CPU: cpu, MEMORY: memory}, slos={"web-p99": slo})


@st.composite
def standings(draw: st.DrawFn, name: str = "n1") -> NodeStanding:
    """How a node stands: unknown, or with scores from which headroom and buoyancy follow."""
    confidence = draw(st.sampled_from(Confidence))
    if confidence is Confidence.UNKNOWN:
        return NodeStanding(node=name, confidence=confidence)
    scores = draw(st.dictionaries(st.sampled_from((CPU, MEMORY)), st.floats(0, 2), min_size=1))
    headroom = 1 - max(scores.values())
    slack = draw(st.none() | st.floats(-3, 1))
    with_slack = headroom if slack is None else min(headroom, slack)
    return NodeStanding(
        node=name,
        confidence=confidence,
        headroom=headroom,
        slack=slack,
        filter_buoyancy=headroom,
        score_buoyancy=with_slack,
        contested=max(scores, key=lambda resource: scores[resource]),
        refusable=draw(st.booleans()),
        scores=scores,
    )


# ---------------------------------------------------------------------- policies


def _section(
    model: Callable[..., Any],
    fields: Mapping[str, st.SearchStrategy[Any]],
    *,
    optional: Mapping[str, st.SearchStrategy[Any]] | None = None,
) -> st.SearchStrategy[Any]:
    """Build a section of the policy, each optional field drawn or left at its default."""
    return st.fixed_dictionaries(dict(fields), optional=dict(optional or {})).map(lambda chosen: model(**chosen))


@st.composite
def thresholds(draw: st.DrawFn) -> Buoyancy:
    """Thresholds in an order that the policy accepts."""
    deschedule, clear = sorted(draw(st.lists(st.floats(-1, 1), min_size=2, max_size=2)))
    return Buoyancy(
        filter_below=draw(st.floats(deschedule, 1)),
        deschedule_below=deschedule,
        clear_above=clear,
        deschedule_after=float(draw(st.integers(0, 600))),
        include_slack=draw(st.sampled_from(("off", "score", "filter"))),
        max_refused_nodes=draw(unit_floats()),
        max_hold=float(draw(st.integers(0, 900))),
    )


@st.composite
def slos(draw: st.DrawFn, name: str = "web-p99") -> Slo:
    """An SLO of either direction."""
    below, clear = sorted(draw(st.lists(st.floats(-2, 1), min_size=2, max_size=2)))
    objective = {draw(st.sampled_from(("at_most", "at_least"))): draw(st.floats(0.001, 1000))}
    return Slo(
        name=name,
        selector=Selector(match_labels=draw(LABELS)),
        indicator="indicator",
        age=draw(st.sampled_from((None, "age"))),
        per=draw(st.sampled_from(("pod", "workload"))),
        window=float(draw(st.integers(0, 600))),
        evict_below=below,
        clear_above=clear,
        **objective,
    )


@cache
def resource_signals() -> st.SearchStrategy[ResourceSignal]:
    """A contended resource with any subset of queries."""
    queries = {name: st.just(f"{name}_query") for name in ("pressure", "pod", "workload", "age", "pod_age")}
    return _section(
        ResourceSignal,
        {"node": st.just("node_query"), "zero": st.floats(0, 1), "full": st.floats(1.1, 100), "gate": unit_floats()},
        optional={**queries, "additive": st.booleans(), "rate_window": st.integers(0, 300).map(float)},
    )


@cache
def evictions() -> st.SearchStrategy[Eviction]:
    """Limits of any width, at most one a scope."""
    limit = _section(
        Limit,
        {
            "scope": st.sampled_from(("workload", "namespace", "node", "cluster")),
            "max": st.integers(0, 20),
            "window": st.integers(1, 3600).map(float),
        },
    )
    choices = {
        "mode": st.sampled_from(("observe", "enforce")),
        "paused": st.booleans(),
        "limits": st.lists(limit, max_size=4, unique_by=lambda one: one.scope).map(tuple),
        "min_ready_replicas": st.integers(0, 3),
        "min_pod_age": st.integers(0, 600).map(float),
        "consecutive": st.integers(1, 5),
        "only_if_node_below": st.just("off") | st.floats(-1, 1),
        "max_breached_share": unit_floats(),
        "fall_back": st.sampled_from(("next", "none")),
        "destination": st.sampled_from(("required", "off")),
        "net_gain": st.sampled_from(("required", "off")),
    }
    return _section(Eviction, {}, optional=choices)


@cache
def policies() -> st.SearchStrategy[Policy]:
    """Policies that validate, measured by Prometheus."""
    signals = _section(
        Signals,
        {
            "step": st.sampled_from((5.0, 15.0, 60.0)),
            "stale_after": st.sampled_from((60.0, 180.0)),
            "min_coverage": unit_floats(),
            "resources": st.dictionaries(st.sampled_from((CPU, MEMORY, "llc")), resource_signals(), max_size=3),
        },
    )
    return _section(
        Policy,
        {
            "api_version": st.just("bayplan.dev/v1alpha1"),
            "kind": st.just("Policy"),
            "signals": signals,
            "slos": st.lists(slos(), max_size=1).map(tuple),
            "buoyancy": thresholds(),
            "eviction": evictions(),
        },
    )
