"""What a scraper may see of the descheduler, as one object with a registry of its own; counts, decides nothing.

Series are bounded: rails, rules, answers and landings are our own words, and workloads beyond the first thousand are
counted together as `other`.
"""

from collections.abc import Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import generate_latest

from policies.values.signals import Freshness
from policies.values.workloads import WorkloadRef

_MOST_WORKLOADS: Final = 1000
OTHER: Final = "other"
_CYCLE_BUCKETS: Final = (0.05, 0.1, 0.2, 0.35, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """All series of one descheduler process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._workloads: set[str] = set()
        self._counters()
        self._gauges()

    def _counters(self) -> None:
        def counter(name: str, words: str, *labels: str) -> Counter:
            return Counter(f"bayplan_descheduler_{name}", words, labels, registry=self.registry)

        self.cycles = counter("cycles", "Cycles by how they ended.", "result")
        self.decisions = counter("decisions", "Proposals by what the check made of them.", "rule", "decision")
        self.refusals = counter("refusals", "Candidates and proposals refused, by rail.", "rail", "rule")
        self.evictions = counter("evictions", "Evictions asked for, by the API's answer.", "rule", "answer", "mode")
        self.outcomes = counter("outcomes", "Accepted evictions by what became of the replacement.", "rule", "outcome")
        self.workload_evictions = counter("workload_evictions", "Evictions by workload.", "namespace", "workload")
        self.errors = counter("errors", "Troubles that ended in no eviction, by step.", "step")
        self.events_failed = counter("events_failed", "Events that could not be written.")

    def _gauges(self) -> None:
        def gauge(name: str, words: str, *labels: str) -> Gauge:
            return Gauge(f"bayplan_descheduler_{name}", words, labels, registry=self.registry)

        self.leader = gauge("leader", "1 while this process holds the Lease.")
        self.enforcing = gauge("enforcing", "1 while the policy says enforce and is not paused.")
        self.evictable = gauge("candidates_evictable", "Candidates of the last cycle that passed every rail.")
        self.candidates = gauge("candidates", "Candidates that the rules proposed in the last cycle.")
        self.signal_age = gauge("signal_age_seconds", "Age of the oldest newest sample over the objects.", "signal")
        self.signal_state = gauge("signal_objects", "Objects of a signal by the state of its value.", "signal", "state")
        self.signal_failed = gauge("signal_failed", "1 for a query that gave nothing usable.", "signal")
        self.budget_used = gauge("budget_used", "Largest use of a limit by one member of its scope.", "scope", "window")
        self.budget_max = gauge("budget_max", "What the limit allows.", "scope", "window")
        self.task_restarts = gauge("task_restarts", "How often a background task was started again.", "task")
        self.records = gauge("records", "Eviction records in the ledger, by state.", "state")
        self.unreadable = gauge("unreadable", "1 for a kind that could not be listed.", "kind")
        self.policy_changes = gauge("policy_changes", "Changes of the policy file since the start.", "result")
        self.policy = gauge("policy_info", "1 for the content hash of the policy in force.", "hash")
        self.cycle_seconds = Histogram(
            "bayplan_descheduler_cycle_seconds",
            "Duration of a cycle, by step.",
            ("step",),
            buckets=_CYCLE_BUCKETS,
            registry=self.registry,
        )

    def workload_evicted(self, ref: WorkloadRef | None) -> None:
        """Count an eviction of a workload; the number of series is bounded."""
        name = "" if ref is None else str(ref)
        if ref is None or (name not in self._workloads and len(self._workloads) >= _MOST_WORKLOADS):
            self.workload_evictions.labels(OTHER, OTHER).inc()
            return
        self._workloads.add(name)
        self.workload_evictions.labels(ref.namespace, f"{ref.kind}/{ref.name}").inc()

    def saw_signal(self, signal: str, states: Mapping[Freshness, int], age: float | None) -> None:
        """Set the figures of one signal: objects by state, and the largest age (None: unknown)."""
        for state in Freshness:
            self.signal_state.labels(signal, state.name.lower()).set(states.get(state, 0))
        self.signal_age.labels(signal).set(float("nan") if age is None else age)

    def text(self) -> bytes:
        """Return the exposition."""
        return generate_latest(self.registry)
