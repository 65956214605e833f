"""A host port can be taken once a node: same port and protocol, on the same address or on all of them."""

from collections.abc import Iterator
from typing import Final

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Closure, Predicate
from policies.values.pods import HostPort, Pod

# The API's words for "all addresses"; nothing is bound here.
ALL_ADDRESSES: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104


def closures(pod: Pod, occupancy: Occupancy) -> Iterator[Closure]:
    """Yield the nodes where a port the pod wants is taken."""
    wanted = pod.constraints.host_ports
    if wanted:
        yield Closure("host port taken", occupancy.rows.where(lambda node: _taken(wanted, node.name, occupancy)))


def _taken(wanted: tuple[HostPort, ...], node: str, occupancy: Occupancy) -> bool:
    ports = (port for pod in occupancy.on(node) for port in pod.constraints.host_ports)
    return any(clash(mine, theirs) for theirs in ports for mine in wanted)


def clash(mine: HostPort, theirs: HostPort) -> bool:
    """Tell whether two ports cannot both be taken on one node."""
    if (mine.port, mine.protocol) != (theirs.port, theirs.protocol):
        return False
    return mine.address == theirs.address or mine.address in ALL_ADDRESSES or theirs.address in ALL_ADDRESSES


HOST_PORTS = Predicate("host-ports", closures)
