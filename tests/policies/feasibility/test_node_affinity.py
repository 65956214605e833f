"""Node selector and required node affinity."""

from policies.values.pods import Constraints
from policies.values.selectors import NodeSelectorTerm, Operator, Requirement
from tests.builders import make_node, make_pod
from tests.policies.feasibility.places import closed, in_zone, limited, occupied

NODES = [make_node("n1"), make_node("n2", labels={"topology.kubernetes.io/zone": "b", "disk": "ssd"}), make_node("n3")]
CLOSED = "node-affinity: node selector or affinity"


def _open(constraints: Constraints) -> set[str]:
    shut = closed(make_pod(constraints=constraints), occupied(NODES))
    assert set(shut.values()) <= {CLOSED}
    return {node.name for node in NODES} - shut.keys()


def test_selector_wants_every_label() -> None:
    assert _open(limited(node_selector=(("disk", "ssd"),))) == {"n2"}
    assert _open(limited(node_selector=(("disk", "ssd"), ("topology.kubernetes.io/zone", "a")))) == set()


def test_terms_are_alternatives() -> None:
    ssd = NodeSelectorTerm((Requirement("disk", Operator.EXISTS),))

    assert _open(limited(node_terms=(in_zone("a"),))) == {"n1", "n3"}
    assert _open(limited(node_terms=(in_zone("a"), ssd))) == {"n1", "n2", "n3"}


def test_match_fields_name_a_node() -> None:
    field = Requirement("metadata.name", Operator.IN, ("n3",))

    assert _open(limited(node_terms=(NodeSelectorTerm(fields=(field,)),))) == {"n3"}


def test_term_without_requirements_and_empty_list_of_terms_match_no_node() -> None:
    assert _open(limited(node_terms=(NodeSelectorTerm(),))) == set()
    assert _open(limited(node_terms=())) == set()


def test_selector_and_terms_must_both_hold() -> None:
    assert _open(limited(node_selector=(("disk", "ssd"),), node_terms=(in_zone("a"),))) == set()
