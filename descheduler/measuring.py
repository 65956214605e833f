"""A cycle as figures: sets and counts the process's series from what the cycle knew and did."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

import numpy as np

from descheduler.decisions import CycleResult, Kind
from descheduler.metrics import Metrics
from descheduler.observing import Scene
from policies.rails.situation import Situation
from policies.values.records import EvictionRecord, RecordState
from policies.values.signals import Freshness, Grid, SignalHistory

_EVICTIONS: Final = (Kind.EVICTED, Kind.UNKNOWN)


def measure(metrics: Metrics, scene: Scene, result: CycleResult, *, situation: Situation) -> None:
    """Bring every series up to date after a cycle."""
    _count(metrics, result)
    _knowledge(metrics, scene)
    _budgets(metrics, situation)
    metrics.enforcing.set(float(not scene.observing and not scene.policy.eviction.paused))
    metrics.policy.clear()
    metrics.policy.labels(result.policy_hash).set(1)


def _count(metrics: Metrics, result: CycleResult) -> None:
    for line in result.decisions:
        metrics.decisions.labels(line.rule, line.kind).inc()
        if line.kind is Kind.REFUSED:
            metrics.refusals.labels(line.rail, line.rule).inc()
        if line.answer:
            metrics.evictions.labels(line.rule, line.answer.split(":")[0], result.mode).inc()
        if line.kind in _EVICTIONS:
            metrics.workload_evicted(line.workload)
    for record, seen in result.landed:
        metrics.outcomes.labels(record.rule, seen.landing).inc()
    for step in result.troubles:
        metrics.errors.labels(step).inc()
    metrics.candidates.set(result.candidates)
    metrics.evictable.set(result.evictable)


def _knowledge(metrics: Metrics, scene: Scene) -> None:
    metrics.signal_failed.clear()
    for query in scene.history.failures:
        metrics.signal_failed.labels(query).set(1)
    for name, grid in grids(scene.history):
        states, ages = grid.states[:, -1:], grid.ages[:, -1:]
        counted = {state: int(np.count_nonzero(states == state)) for state in Freshness}
        known = ages[np.isfinite(ages)]
        metrics.saw_signal(name, counted, float(known.max()) if known.size else None)
    metrics.unreadable.clear()
    for kind in scene.cluster.unreadable:
        metrics.unreadable.labels(kind).set(1)
    states_seen = Counter(record.state for record in scene.ledger.records)
    for state in RecordState:
        metrics.records.labels(state).set(states_seen[state])


def grids(history: SignalHistory) -> Iterator[tuple[str, Grid]]:
    """Yield every grid of a history under the name of its query."""
    for name, readings in history.resources.items():
        yield f"{name}.node", readings.node
        if readings.pressure is not None:
            yield f"{name}.pressure", readings.pressure
    yield from ((f"slo/{name}", grid) for name, grid in history.slos.items())


def _budgets(metrics: Metrics, situation: Situation) -> None:
    """Show of each limit the member that used most of it: as many series as limits, whatever the cluster's size."""
    metrics.budget_used.clear()
    metrics.budget_max.clear()
    counted = [record for record in situation.records if situation.counts(record)]
    for limit in situation.policy.eviction.limits:
        members = Counter(
            _member(limit.scope, record) for record in counted if record.at > situation.now - limit.window
        )
        window = f"{limit.window:g}s"
        metrics.budget_used.labels(limit.scope, window).set(max(members.values(), default=0))
        metrics.budget_max.labels(limit.scope, window).set(limit.max)


def _member(scope: str, record: EvictionRecord) -> object:
    return {"workload": record.workload, "namespace": record.namespace, "node": record.node}.get(scope, scope)
