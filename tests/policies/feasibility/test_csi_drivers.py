"""A driver that must be there closes the nodes where it is not; one that need not, or is not known, closes none."""

from typing import Any

import pytest

from policies.feasibility.occupancy import Occupancy
from policies.values import kinds
from policies.values.pods import Pod
from policies.values.volumes import Attachment, Claim, CsiDriver, CsiNode, StorageClass, Volume
from tests.builders import make_node, make_pod
from tests.policies.feasibility.places import closed, occupied

FAST, SLOW = "fast.example.invalid", "slow.example.invalid"
MISSING = f"csi-drivers: no driver {FAST}"
POD = make_pod("web-0", claims=("a",))


def occupancy(pod: Pod = POD, *, needed: dict[str, bool] | None = None, **cluster: Any) -> Occupancy:
    """Return n1 with the driver, n2 with another one only, n3 without a CSINode, and a volume of the driver."""
    drivers = {FAST: True} if needed is None else needed
    world: dict[str, Any] = {
        "claims": {"default/a": Claim(namespace="default", name="a", volume="a", storage_class="fast")},
        "volumes": {"a": Volume(name="a", driver=FAST, handle="a")},
        "csi_nodes": {
            "n1": CsiNode(name="n1", attachable={FAST: 9}, drivers=frozenset({FAST, SLOW})),
            "n2": CsiNode(name="n2", drivers=frozenset({SLOW})),
        },
        "csi_drivers": {name: CsiDriver(name=name, needed=must) for name, must in drivers.items()},
    }
    return occupied([make_node(name) for name in ("n1", "n2", "n3")], [pod], **(world | cluster))


def test_a_node_without_a_driver_that_must_be_there_is_closed() -> None:
    assert closed(POD, occupancy()) == {"n2": MISSING, "n3": MISSING}


@pytest.mark.parametrize("needed", [{FAST: False}, {}, {SLOW: True}], ids=["may be missing", "unknown", "another"])
def test_a_driver_that_need_not_be_there_closes_no_node(needed: dict[str, bool]) -> None:
    assert closed(POD, occupancy(needed=needed)) == {}


def test_a_pod_without_volumes_needs_no_driver() -> None:
    other = make_pod("web-0")

    assert closed(other, occupancy(other)) == {}


def test_a_disk_of_a_migrated_driver_needs_it_too() -> None:
    pod = make_pod("web-0", disks=(Attachment(FAST, "disk"),))

    assert closed(pod, occupancy(pod)) == {"n2": MISSING, "n3": MISSING}


def test_a_volume_that_is_still_to_be_made_needs_the_driver_of_its_class() -> None:
    waiting = {"default/a": Claim(namespace="default", name="a", storage_class="fast")}
    classes = {"fast": StorageClass(name="fast", waits_for_first_consumer=True, driver=FAST)}

    assert closed(POD, occupancy(claims=waiting, storage_classes=classes)) == {"n2": MISSING, "n3": MISSING}


def test_drivers_that_were_not_read_close_every_node_to_pods_with_volumes() -> None:
    blind = occupancy(needed={}, unreadable={kinds.CSI_DRIVERS: "403 Forbidden"})

    assert closed(POD, blind) == dict.fromkeys(("n1", "n2", "n3"), "attach-limits: attach limits not known")
