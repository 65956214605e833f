"""No pod with a volume goes where its CSI driver is not registered, if the driver's CSIDriver asks for that.

As kube-scheduler's NodeVolumeLimits does it since 1.35 (`preventPodSchedulingIfMissing`, on by its gate since 1.37). A
driver that does not ask for it, or has no CSIDriver, keeps nobody away: a node may get it later.

Of in-tree volumes, which a driver serves by migration, this is stricter: kube-scheduler 1.37 took a node without a
CSINode for one (seen on the real one), here the node is closed. That may miss a destination and sends nobody wrong.
"""

from collections.abc import Iterator

from policies.feasibility.attachments import attachments
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Closure, Predicate
from policies.feasibility.rows import Mask
from policies.values.clusters import Cluster
from policies.values.nodes import Node
from policies.values.pods import Pod


def closures(pod: Pod, occupancy: Occupancy) -> Iterator[Closure]:
    """Yield the nodes without a driver that the pod's volumes need, driver by driver."""
    known = occupancy.cluster.csi_drivers
    for driver in sorted({volume.driver for volume in attachments(pod, occupancy.cluster)}):
        if driver in known and known[driver].needed:
            yield Closure(f"no driver {driver}", _without(driver, occupancy))


def _without(driver: str, occupancy: Occupancy) -> Mask:
    def lacks(node: Node) -> bool:
        return not _registered(driver, node, occupancy.cluster)

    return occupancy.mask(("driver", driver), lambda: occupancy.rows.where(lacks))


def _registered(driver: str, node: Node, cluster: Cluster) -> bool:
    csi = cluster.csi_nodes.get(node.name)
    return csi is not None and driver in csi.drivers


CSI_DRIVERS = Predicate("csi-drivers", closures)
