"""All predicates in the order in which they are asked; the first that closes a node gives the reason that is counted.

From what no other decision changes (the node, the pod's wishes) to what pods take from each other.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np

from policies.feasibility.affinity import AFFINITY
from policies.feasibility.anti_affinity import ANTI_AFFINITY
from policies.feasibility.attach_limits import ATTACH_LIMITS
from policies.feasibility.csi_drivers import CSI_DRIVERS
from policies.feasibility.host_ports import HOST_PORTS
from policies.feasibility.node_affinity import NODE_AFFINITY
from policies.feasibility.node_usable import USABLE
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Predicate
from policies.feasibility.resources import RESOURCES
from policies.feasibility.rows import Mask
from policies.feasibility.spread import SPREAD
from policies.feasibility.taints import TAINTS
from policies.feasibility.volumes import VOLUMES
from policies.values.pods import Pod
from policies.values.refusals import Refusal, Scope

PREDICATES: Final[tuple[Predicate, ...]] = (
    USABLE,
    NODE_AFFINITY,
    TAINTS,
    VOLUMES,
    CSI_DRIVERS,
    RESOURCES,
    ATTACH_LIMITS,
    HOST_PORTS,
    ANTI_AFFINITY,
    AFFINITY,
    SPREAD,
)


@dataclass(slots=True)
class Sieve:
    """The rows that are still open, and how many each reason closed. One search's working copy."""

    open: Mask
    reasons: Counter[str]

    @staticmethod
    def over(rows: Mask) -> "Sieve":
        """Return a sieve that lets these rows through."""
        return Sieve(rows.copy(), Counter())

    def close(self, rows: Mask, reason: str) -> None:
        """Close rows for a reason, which counts those that were open."""
        closed = self.open & rows
        count = int(np.count_nonzero(closed))
        if count:
            self.reasons[reason] += count
            self.open ^= closed


def sift(pod: Pod, occupancy: Occupancy, *, among: Mask) -> Sieve:
    """Return which of some nodes can take a pod, and why the others cannot."""
    sieve = Sieve.over(among)
    for predicate in PREDICATES:
        if not sieve.open.any():
            break
        for closure in predicate.closures(pod, occupancy):
            sieve.close(closure.rows, closure.reason)
    return sieve


def feasible(pod: Pod, node: str, occupancy: Occupancy) -> Refusal | None:
    """Return why a node cannot take a pod, by the name of the predicate; None where it can."""
    row = occupancy.rows.row[node]
    for predicate in PREDICATES:
        for closure in predicate.closures(pod, occupancy):
            if closure.rows[row]:
                return Refusal(predicate.name, f"{node}: {closure.reason}", Scope.NODE)
    return None
