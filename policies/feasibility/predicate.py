"""What a predicate is: for one pod, the nodes that it closes and the reasons; knows none of them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.rows import Mask
from policies.values.pods import Pod


@dataclass(frozen=True, slots=True)
class Closure:
    """Nodes that cannot take a pod, for one reason in a few constant words."""

    reason: str
    rows: Mask


@dataclass(frozen=True, slots=True)
class Predicate:
    """One of kube-scheduler's reasons why a node cannot take a pod.

    `closures` gives the closed nodes of the whole cluster at once, nothing where the predicate has nothing to say of
    the pod; where a node is closed twice the first reason is the one that counts.
    """

    name: str
    closures: Callable[[Pod, Occupancy], Iterable[Closure]]
