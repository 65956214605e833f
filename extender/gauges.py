"""Gauges of the extender's state, read when they are scraped; a few dozen series, however many nodes there are."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from extender.memory import Memory
from policies.values.signals import Freshness
from sources.clocks import Clock
from sources.policy_file import PolicyFile


class Gauges(Collector):
    """Collects the state of everything memory."""

    def __init__(self, memory: Memory, policy_file: PolicyFile, *, clock: Clock) -> None:
        self._memory = memory
        self._policy_file = policy_file
        self._clock = clock

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics as they stand now."""
        yield from self._signals()
        yield from self._nodes()
        yield from self._plans()
        yield from self._ledger()
        changes = CounterMetricFamily("bayplan_extender_policies", "Policy changes by result.", labels=["result"])
        changes.add_metric(["taken"], self._policy_file.reloaded)
        changes.add_metric(["rejected"], self._policy_file.rejected)
        yield changes
        policy = GaugeMetricFamily("bayplan_extender_policy", "1 for the policy in force.", labels=["hash"])
        policy.add_metric([self._memory.rulings.current.digest], 1)
        yield policy

    def _signals(self) -> Iterator[Metric]:
        states = GaugeMetricFamily(
            "bayplan_extender_signal_nodes", "Nodes by state of a resource's signal.", labels=["resource", "state"]
        )
        ages = GaugeMetricFamily(
            "bayplan_extender_signal_age_seconds", "Age of the oldest fresh value.", labels=["resource"]
        )
        history = self._memory.board.current_history(now=self._clock.now())
        known = self._memory.census.nodes
        for name in self._memory.rulings.current.policy.signals.resources:
            readings = history.resources.get(name)
            counts: Counter[int] = Counter()
            if readings is not None:
                rows = [row for node, row in readings.node.row.items() if node in known]
                counts.update(readings.node.states[rows, -1].tolist())
                fresh = readings.node.ages[readings.node.states == Freshness.FRESH]
                if np.isfinite(fresh).any():
                    ages.add_metric([name], float(np.nanmax(fresh)))
            counts[Freshness.MISSING] += max(0, len(known) - sum(counts.values()))
            for state in Freshness:
                states.add_metric([name, state.name.lower()], counts[state])
        yield states
        yield ages

    def _nodes(self) -> Iterator[Metric]:
        memory, ratings = self._memory, self._memory.board.ratings
        nodes = GaugeMetricFamily("bayplan_extender_nodes", "Nodes by what is known of them.", labels=["confidence"])
        nodes.add_metric(["full"], len(ratings.scores))
        nodes.add_metric(["partial"], len(ratings.capped))
        nodes.add_metric(["unknown"], max(0, len(memory.census.nodes) - len(ratings.scores) - len(ratings.capped)))
        yield nodes
        yield GaugeMetricFamily(
            "bayplan_extender_refusable_nodes", "Nodes with a buoyancy below the threshold.", value=len(ratings.below)
        )
        assumed = GaugeMetricFamily(
            "bayplan_extender_assumed_load", "Largest assumed load of a node, as a score.", labels=["resource"]
        )
        for resource, most in memory.board.largest_loads().items():
            assumed.add_metric([resource], most)
        yield assumed
        yield GaugeMetricFamily("bayplan_extender_pods", "Pods known on nodes.", value=len(memory.census))
        yield GaugeMetricFamily(
            "bayplan_extender_sleeping_pods", "Pods refused every node.", value=len(memory.holding.sleepers())
        )

    def _plans(self) -> Iterator[Metric]:
        figures = self._memory.plans.figures()
        labels = ["plan", "revision", "phase"]
        obeyed = GaugeMetricFamily("bayplan_extender_plan", "1 for the plan that is obeyed.", labels=labels)
        if figures.plan is not None:
            obeyed.add_metric([figures.plan.name, str(figures.plan.revision), figures.plan.phase.value], 1)
        yield obeyed
        for name, text, value in (
            ("promised_nodes", "Nodes of which the plan has promised room.", figures.nodes),
            ("awaited_pods", "Pods that the plan still waits for.", figures.awaited),
            ("claims", "Pods whose approval under the plan is not seen bound yet.", figures.claims),
            ("waiting_pods", "Pods that the plan left no node when they last asked.", figures.waiting),
            ("held_pods", "Waiting pods that are held whole.", figures.held),
        ):
            yield GaugeMetricFamily(f"bayplan_extender_{name}", text, value=value)
        yield CounterMetricFamily(
            "bayplan_extender_dropped_plans", "Plans dropped because their slot was not renewed.", value=figures.dropped
        )

    def _ledger(self) -> Iterator[Metric]:
        """Give what the descheduler wrote down: its own runs may be too short to be scraped."""
        records = Counter((r.rule, r.state.value, r.verification.landing.value) for r in self._memory.ledger.all())
        evictions = GaugeMetricFamily(
            "bayplan_eviction_records",
            "Eviction records by rule, state and landing.",
            labels=["rule", "state", "landing"],
        )
        for labels, count in sorted(records.items()):
            evictions.add_metric(labels, count)
        yield evictions
        totals = CounterMetricFamily(
            "bayplan_descheduler", "Running totals of the descheduler's report.", labels=["what", "of", "result"]
        )
        for name, count in sorted(self._memory.reports.totals.items()):
            what, of, result = (*name.split("/"), "", "")[:3]
            totals.add_metric([what, of, result], count)
        yield totals
