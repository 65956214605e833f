"""A host port can be taken once a node: same port and protocol, on the same address or on all of them."""

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Predicate, Test
from policies.values.nodes import Node
from policies.values.pods import HostPort, Pod

_ALL = frozenset({"", "0.0.0.0", "::"})  # noqa: S104  # the API's words for "all addresses", nothing is bound here


def against(pod: Pod, occupancy: Occupancy) -> Test | None:
    """Return the test of the ports taken on a node, None for a pod without host ports."""
    wanted = pod.constraints.host_ports
    if not wanted:
        return None

    def test(node: Node) -> str | None:
        taken = (port for other in occupancy.on(node.name) for port in other.constraints.host_ports)
        clash = any(_clash(mine, theirs) for theirs in taken for mine in wanted)
        return "host port taken" if clash else None

    return test


def _clash(mine: HostPort, theirs: HostPort) -> bool:
    if (mine.port, mine.protocol) != (theirs.port, theirs.protocol):
        return False
    return mine.address == theirs.address or mine.address in _ALL or theirs.address in _ALL


HOST_PORTS = Predicate("host-ports", against)
