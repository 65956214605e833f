"""Host ports: at most one item a node of those that would clash. What fixed pods have is in the eligibility already."""

from collections.abc import Iterable, Iterator, Mapping

from descheduler.optimiser.problem import Exclusive
from descheduler.planning.problems.layout import Layout, grouped
from policies.feasibility.host_ports import ALL_ADDRESSES
from policies.values.pods import HostPort


def exclusives(layout: Layout) -> tuple[Exclusive, ...]:
    """Return a row for each port and address that more than one item would take.

    A pod that takes a port on all addresses clashes with everybody who wants the port, so it is in the row of each
    address; two pods with addresses of their own are in no row together.
    """
    wanted = grouped((port, at) for at, pod in enumerate(layout.pods) for port in set(pod.constraints.host_ports))
    rows = (Exclusive(name=_name(port), members=_clashing(port, wanted)) for port in _narrowest(wanted))
    return tuple(sorted((row for row in rows if len(row.members) > 1), key=lambda row: row.name))


def _narrowest(wanted: Iterable[HostPort]) -> Iterator[HostPort]:
    """Yield the ports with an address of their own, and those that nobody has an address of."""
    specific = {(port.port, port.protocol) for port in wanted if port.address not in ALL_ADDRESSES}
    seen: set[tuple[int, str]] = set()
    for port in wanted:
        key = (port.port, port.protocol)
        if port.address not in ALL_ADDRESSES:
            yield port
        elif key not in specific and key not in seen:
            seen.add(key)
            yield port


def _clashing(port: HostPort, wanted: Mapping[HostPort, tuple[int, ...]]) -> tuple[int, ...]:
    same = (other for other in wanted if (other.port, other.protocol) == (port.port, port.protocol))
    clashing = (other for other in same if other.address in {port.address, *ALL_ADDRESSES})
    return tuple(sorted({at for other in clashing for at in wanted[other]}))


def _name(port: HostPort) -> str:
    where = "" if port.address in ALL_ADDRESSES else f" on {port.address}"
    return f"host port {port.port}/{port.protocol}{where}"
