"""A node attaches no more volumes of a CSI driver than it says, as kube-scheduler's NodeVolumeLimits counts them.

Each volume once a node, whichever of its pods use it, and those that are still attached for nobody. Where nobody could
read what nodes say, no node takes a pod with such a volume; a node that says nothing of a driver has no limit.
"""

from collections.abc import Iterator

from policies.feasibility.attachments import attachments, unread
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Closure, Predicate
from policies.values.pods import Pod


def closures(pod: Pod, occupancy: Occupancy) -> Iterator[Closure]:
    """Yield the nodes that have no attach slot left for the pod's volumes, driver by driver."""
    wanted, cluster = attachments(pod, occupancy.cluster), occupancy.cluster
    if wanted and unread(cluster) is not None:
        yield Closure("attach limits not known", occupancy.rows.where(lambda _node: True))
    else:
        for driver in sorted({volume.driver for volume in wanted}):
            volumes = [volume for volume in wanted if volume.driver == driver]
            yield Closure(f"attach limit of {driver}", occupancy.attached.full(driver, volumes))


ATTACH_LIMITS = Predicate("attach-limits", closures)
