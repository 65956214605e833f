"""The port through which both services read measurements; declares, does nothing."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from policies.values.nodes import Node
from policies.values.signals import Grid, SignalHistory


class SignalReader(Protocol):
    """Readings of the policy's signals. No method raises for a source in trouble: it says so in `failures`."""

    def latest(self, at: float) -> SignalHistory:
        """Return nodes, pressure and workloads at `at` only (one column); no pod series at all."""
        ...

    def history(self, at: float, *, span: float) -> SignalHistory:
        """Return nodes, pressure and SLOs at `at`, `at - step`, … back over `span` seconds, oldest first."""
        ...

    def pods(self, resource: str, at: float) -> Grid:
        """Return what each live pod takes of one resource at `at` (one column)."""
        ...

    def workloads(self, resource: str, at: float) -> Grid:
        """Return the use of one resource by workload at `at` (one column)."""
        ...

    def failures(self) -> Mapping[str, str]:
        """Return the last trouble of each query that gave nothing usable, by query name (`cpu.node`)."""
        ...


class OpenReader(SignalReader, Protocol):
    """A reader that holds threads and connections."""

    def close(self) -> None:
        """Let them go; the reader is of no use afterwards."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """Who may be measured: series of anybody else are dropped. `pods` are `namespace/name` of live pods.

    `pods` None means that nobody knows the pods here (the extender asks for no pod series).
    """

    nodes: Mapping[str, Node] = field(default_factory=dict)
    pods: Collection[str] | None = None


Inventories: TypeAlias = Callable[[], Inventory]
