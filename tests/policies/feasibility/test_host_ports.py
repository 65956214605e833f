"""Host ports clash by port, protocol and address."""

import pytest

from policies.values.pods import HostPort
from tests.builders import make_node, make_pod
from tests.policies.feasibility.places import closed, limited, occupied


def _clashes(mine: HostPort, theirs: HostPort) -> bool:
    there = make_pod("api-0", node="n2", workload="api", constraints=limited(host_ports=(theirs,)))
    pod = make_pod(constraints=limited(host_ports=(mine,)))
    return closed(pod, occupied([make_node("n2")], [there])) == {"n2": "host-ports: host port taken"}


@pytest.mark.parametrize(
    ("mine", "theirs", "clash"),
    [
        (HostPort(80), HostPort(80), True),
        (HostPort(80), HostPort(81), False),
        (HostPort(80), HostPort(80, "UDP"), False),
        (HostPort(80, address="10.0.0.1"), HostPort(80, address="10.0.0.2"), False),
        (HostPort(80, address="10.0.0.1"), HostPort(80, address="10.0.0.1"), True),
        (HostPort(80, address="10.0.0.1"), HostPort(80), True),
        (HostPort(80), HostPort(80, address="10.0.0.1"), True),
        (HostPort(80, address=""), HostPort(80, address="10.0.0.1"), True),
    ],
)
def test_ports_clash(mine: HostPort, theirs: HostPort, *, clash: bool) -> None:
    assert _clashes(mine, theirs) is clash


def test_planned_pod_takes_its_ports() -> None:
    pod = make_pod(constraints=limited(host_ports=(HostPort(80),)))
    occupancy = occupied([make_node("n2"), make_node("n3")])

    occupancy.place(pod, "n3")

    assert closed(pod, occupancy) == {"n3": "host-ports: host port taken"}
