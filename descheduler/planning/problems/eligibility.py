"""On which nodes an item may be placed, whoever else moves: node state, wishes, taints, volumes, who stays there.

The predicates are kube-scheduler's as in `policies.feasibility`. Room is not looked at: it is a row of the problem. But
a node with too many volumes already is closed here to those who bring another one, so that others may go there.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from descheduler.planning.problems.layout import Layout
from descheduler.planning.problems.slots import attach_slots
from policies.feasibility.anti_affinity import ANTI_AFFINITY
from policies.feasibility.csi_drivers import CSI_DRIVERS
from policies.feasibility.host_ports import HOST_PORTS
from policies.feasibility.node_affinity import NODE_AFFINITY
from policies.feasibility.node_usable import USABLE
from policies.feasibility.rows import Mask
from policies.feasibility.taints import TAINTS
from policies.feasibility.volumes import VOLUMES
from policies.values.pods import Pod

_BY_EVERYBODY: Final = (USABLE, NODE_AFFINITY, TAINTS, VOLUMES, CSI_DRIVERS)
_BY_THOSE_WHO_STAY: Final = (HOST_PORTS, ANTI_AFFINITY)


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Distinct sets of sites, and which of them each item has."""

    sets: tuple[tuple[int, ...], ...]
    of: tuple[int, ...]


@dataclass(slots=True)
class _Shelf:
    """Sets of sites, each kept once."""

    sets: list[tuple[int, ...]] = field(default_factory=list)
    numbers: dict[bytes, int] = field(default_factory=dict)

    def number(self, mask: Mask) -> int:
        key = mask.tobytes()
        if key not in self.numbers:
            self.numbers[key] = len(self.sets)
            self.sets.append(tuple(np.flatnonzero(mask).tolist()))
        return self.numbers[key]


def eligibility(layout: Layout) -> Eligibility:
    """Return the sites that each item may be placed on; its own is among them only where it could come back."""
    shelf, known = _Shelf(), dict[Hashable, Mask]()
    slots = attach_slots(layout).values()
    numbers = []
    for at, pod in enumerate(layout.pods):
        key = _key(pod)
        if key not in known:
            known[key] = _mask(pod, layout)
            for each in slots:
                if each.needs[at] > 0:
                    known[key] &= ~each.crowded
        mask = known[key]
        if pod.uid in layout.must_leave:
            mask = mask & ~layout.rows.named([pod.node or ""])
        numbers.append(shelf.number(mask))
    return Eligibility(tuple(shelf.sets), tuple(numbers))


def _key(pod: Pod) -> Hashable:
    """Return what pods have in common that may stand on the same nodes; a volume may be a pod's very own."""
    own = pod.uid if pod.claims or pod.disks else ""
    # Pods of one template share their constraints as one object; hashing them by value would cost more than it saves.
    return (id(pod.constraints), pod.namespace, frozenset(pod.labels.items()), own)


def _mask(pod: Pod, layout: Layout) -> Mask:
    open_ = np.ones(len(layout.rows.nodes), np.bool_)
    for predicates, occupancy in ((_BY_EVERYBODY, layout.everybody), (_BY_THOSE_WHO_STAY, layout.ground)):
        for predicate in predicates:
            for closure in predicate.closures(pod, occupancy):
                open_ &= ~closure.rows
    for key in _topologies(pod):
        open_ &= layout.rows.codes(key) >= 0
    return open_


def _topologies(pod: Pod) -> frozenset[str]:
    """Name the topologies without which a node cannot take the pod."""
    near = {term.topology_key for term in pod.constraints.affinity}
    return frozenset(near | {each.topology_key for each in pod.constraints.spread})
