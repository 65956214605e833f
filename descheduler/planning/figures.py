"""The series about plans; counts, decides nothing. Triggers, outcomes and reasons are our own words, so bounded."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from policies.values.plans import Plan, PlanAction

_SOLVE_BUCKETS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)
_PLAN_BUCKETS: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0, 90.0, 120.0, 300.0)


class PlanMetrics:
    """Plans, solves and the slot, in the registry of the process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, words: str, *labels: str) -> Counter:
            return Counter(f"bayplan_descheduler_{name}", words, labels, registry=registry)

        self.plans = counter("plans", "Plans by what asked for them and how they ended.", "trigger", "outcome")
        self.ends = counter("plan_ends", "Plans that were not completed, by the word that ended them.", "reason")
        self.solves = counter("plan_solves", "Solves by solver and what is known of the answer.", "solver", "proof")
        self.rejected = counter("plan_rejected", "Answers of a solver that the independent check refused.", "solver")
        self.disruptions = counter("plan_disruptions", "Pods evicted for plans, by what for.", "action")
        self.skipped = counter("plan_skips", "Times a trigger fired and nothing was solved, by the reason.", "reason")
        self.in_force = Gauge(
            "bayplan_descheduler_plan_in_force", "1 while a plan of this process is in the slot.", registry=registry
        )
        self.pending = Gauge(
            "bayplan_descheduler_plan_pending_pods", "Pods that waited for a node at the last solve.", registry=registry
        )
        self.solve_seconds = Histogram(
            "bayplan_descheduler_plan_solve_seconds",
            "Duration of a solve, the problem's build included.",
            buckets=_SOLVE_BUCKETS,
            registry=registry,
        )
        self.plan_seconds = Histogram(
            "bayplan_descheduler_plan_seconds",
            "Duration of a plan from its creation to its end, by outcome.",
            ("outcome",),
            buckets=_PLAN_BUCKETS,
            registry=registry,
        )

    def evicted(self, action: PlanAction) -> None:
        """Count a pod that was evicted for a plan."""
        self.disruptions.labels(action).inc()

    def ended(self, plan: Plan, *, outcome: str, word: str) -> None:
        """Count a plan at its end."""
        self.plans.labels(plan.trigger, outcome).inc()
        if word:
            self.ends.labels(word).inc()
        if plan.finished_at is not None:
            self.plan_seconds.labels(outcome).observe(max(0.0, plan.finished_at - plan.started_at))
