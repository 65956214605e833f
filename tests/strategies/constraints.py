"""What pods ask for and where they may stand: requests, selectors, tolerations, affinities, spread."""

from functools import cache

from hypothesis import strategies as st

from policies.values.pods import Constraints, HostPort, PodTerm, SpreadConstraint, Toleration
from policies.values.resources import PODS, Resources
from policies.values.selectors import LabelSelector, NodeSelectorTerm, Operator, Requirement
from tests.builders import GIB, make_resources

KEYS = st.sampled_from(("app", "tier", "disk", "topology.kubernetes.io/zone"))
VALUES = st.sampled_from(("a", "b", "web", "1", "20"))
LABELS = st.dictionaries(KEYS, VALUES, max_size=3)
EFFECTS = st.sampled_from(("NoSchedule", "NoExecute", "PreferNoSchedule"))
TOPOLOGIES = st.sampled_from(("kubernetes.io/hostname", "topology.kubernetes.io/zone"))


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
