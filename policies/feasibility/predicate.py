"""What a predicate is: given a pod, a test of single nodes; knows none of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from policies.feasibility.occupancy import Occupancy
from policies.values.nodes import Node
from policies.values.pods import Pod

# Says in a few constant words why a node cannot take the pod, None where it can.
Test: TypeAlias = Callable[[Node], str | None]


@dataclass(frozen=True, slots=True)
class Predicate:
    """One reason why a node cannot take a pod.

    `against` looks at the pod once and returns the test of single nodes, or None where it has nothing to say about
    this pod: most pods have no volume, port or affinity, and clusters have thousands of nodes.
    """

    name: str
    against: Callable[[Pod, Occupancy], Test | None]
