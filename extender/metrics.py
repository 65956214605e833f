"""The extender's own metrics, counted where things happen; kube-scheduler has none of an extender's latency or errors.

Each application gets a registry of its own, so that two in one process (tests, the simulator) do not mix.
"""

from enum import StrEnum
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

from policies.placement.filtering import FilterDecision
from policies.placement.preempting import PreemptDecision

# The bound to keep is 10 ms; kube-scheduler gives up at 200 to 500 ms.
_BUCKETS: Final = (0.0005, 0.001, 0.0015, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_REPORT_EVERY: Final = 60.0
_FAILS_OPEN: Final = frozenset({"filter", "prioritize"})


class Fault(StrEnum):
    """Why a call got the answer for trouble instead of a decision."""

    MALFORMED = "malformed"
    UNREADABLE_POD = "unreadable-pod"
    INTERNAL = "internal"
    TOO_LARGE = "too-large"


class Meters:
    """Everything that requests count."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._seen: set[str] = set()
        self._reported: dict[str, float] = {}
        self.seconds = Histogram(
            "bayplan_extender_request_seconds",
            "Time from the whole request read to its answer, by verb.",
            ["verb"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.faults = self._counter("faults", "Calls answered without a decision, by verb and kind.", "verb", "kind")
        self.failed_open = self._counter(
            "failed_open", "Filter and prioritize calls in which every node passed because of a fault.", "verb"
        )
        self.refused = self._counter("refused_nodes", "Nodes refused by the filter, by reason.", "reason")
        self.emptied = self._counter("emptied_lists", "Filter calls in which buoyancy left no node.")
        self.preemptions = self._counter("preemptions", "Preempt calls by what came of them.", "outcome")
        self.whole_nodes = self._counter(
            "whole_object_requests", "Calls with whole objects: nodeCacheCapable is not true.", "verb"
        )
        self.wakes = self._counter("wakes", "Times that sleeping pods were woken, by result.", "result")

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"bayplan_extender_{name}_total", text, labels, registry=self.registry)

    def fault(self, verb: str, kind: Fault) -> None:
        """Count a call that was answered without a decision."""
        self.faults.labels(verb, kind).inc()
        if verb in _FAILS_OPEN:
            self.failed_open.labels(verb).inc()

    def first(self, what: str) -> bool:
        """Tell whether this is the first time that something worth one report was seen."""
        seen = what in self._seen
        self._seen.add(what)
        return not seen

    def due(self, what: str, *, now: float) -> bool:
        """Tell whether something is worth a report again, a minute after the last one (monotonic seconds)."""
        last = self._reported.get(what)
        if last is not None and now < last + _REPORT_EVERY:
            return False
        self._reported[what] = now
        return True

    def filtered(self, decision: FilterDecision) -> None:
        """Count what a filter call refused."""
        for reason, names in decision.refused.items():
            self.refused.labels(reason).inc(len(names))
        if decision.emptied:
            self.emptied.inc()

    def preempted(self, decision: PreemptDecision) -> None:
        """Count what came of a preempt call."""
        outcome = "vetoed" if decision.veto or not decision.kept else "exempt" if decision.exempt else "passed"
        self.preemptions.labels(outcome).inc()
