"""Service level objectives on the pods and workloads they are about: average slack and lasting breaches.

An indicator is `per: pod` or `per: workload`; a series that no live pod or workload answers to is ignored, as series
of deleted pods linger. Nothing here proposes anybody.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np

from policies.buoyancy.averages import samples_wanted
from policies.buoyancy.debounce import Trigger
from policies.buoyancy.saturation import fresh_values
from policies.buoyancy.soft_limit import Samples, SoftLimit, Verdicts, judge
from policies.buoyancy.standing import NodeSlacks
from policies.model.policy import Policy
from policies.model.slos import Slo
from policies.rules.evictions import Evictions
from policies.rules.inhabitants import Inhabitants
from policies.values.pods import Pod
from policies.values.signals import Grid, SignalHistory
from policies.values.workloads import WorkloadRef

Key = TypeVar("Key")
Reach: TypeAlias = Callable[[Pod], bool]


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom one series of an indicator is about: its row, a pod (or a workload's pods), and their workload."""

    row: int
    pods: tuple[Pod, ...]
    workload: WorkloadRef | None

    @property
    def owner(self) -> str:
        """Return the name of the workload, or of a bare pod."""
        return str(self.workload or self.pods[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One subject under one objective.

    `average` is `s_bar`, None where unknown. `trouble` is after debounce and hysteresis, `breaching` the newest
    evaluation alone.
    """

    pods: tuple[Pod, ...]
    average: float | None
    trouble: bool
    breaching: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Objective:
    """An objective, whom it measures, and how they stand, in one order.

    `verified` is False without an `age` query: nobody is evicted for it. `remembers` is False while the history is
    shorter than window and debounce need.
    """

    slo: Slo
    subjects: tuple[Subject, ...]
    verdicts: Verdicts
    verified: bool
    remembers: bool

    def lasting(self) -> Iterator[Pod]:
        """Yield the pods whose breach lasts and is there now."""
        for at in np.flatnonzero(self.verdicts.trouble & self.verdicts.breaching):
            yield from self.subjects[at].pods

    def breached(self) -> dict[str, list[Reading]]:
        """Return all readings of every owner of whom anybody breaches now, by the owner's name, in its order."""
        owners = {self.subjects[at].owner for at in np.flatnonzero(self.verdicts.breaching)}
        groups: dict[str, list[Reading]] = {owner: [] for owner in sorted(owners)}
        for at, subject in enumerate(self.subjects) if groups else ():
            if subject.owner in groups:
                groups[subject.owner].append(self._reading(at))
        return groups

    def averages(self) -> Iterator[tuple[Pod, float]]:
        """Yield pods with their known `s_bar`; what a workload suffers as a whole says nothing of one replica."""
        if self.slo.per == "pod":
            for subject, average in zip(self.subjects, self.verdicts.average.tolist(), strict=True):
                if not math.isnan(average):
                    yield subject.pods[0], average

    def _reading(self, at: int) -> Reading:
        average = self.verdicts.average.item(at)
        return Reading(
            pods=self.subjects[at].pods,
            average=None if math.isnan(average) else average,
            trouble=self.verdicts.trouble.item(at),
            breaching=self.verdicts.breaching.item(at),
        )


def measure(
    history: SignalHistory, inhabitants: Inhabitants, *, policy: Policy, evictions: Evictions
) -> tuple[Objective, ...]:
    """Return every objective of the policy as the history measures it."""
    return tuple(_objective(slo, history, inhabitants, policy=policy, evictions=evictions) for slo in policy.slos)


def soft_limit(slo: Slo, *, consecutive: int) -> SoftLimit:
    """Return an objective as numbers; without any it can be neither kept nor breached (NaN)."""
    more_is_better = slo.at_most is None
    objective = slo.at_least if more_is_better else slo.at_most
    return SoftLimit(
        objective=math.nan if objective is None else objective,
        more_is_better=more_is_better,
        window=slo.window,
        trigger=Trigger(below=slo.evict_below, clear_above=slo.clear_above, needed=consecutive),
    )


def slack_by_pod(objectives: Iterable[Objective]) -> Mapping[str, float]:
    """Return the least known `s_bar` of each pod, by UID."""
    return _least((pod.uid, average) for objective in objectives for pod, average in objective.averages())


def node_slacks(objectives: Iterable[Objective]) -> NodeSlacks:
    """Return the least known `s_bar` of each node's pods, with and without the objectives whose age nobody knows."""
    measured = tuple(objectives)
    verified = [objective for objective in measured if objective.verified]
    return NodeSlacks(any=_least(_nodes(measured)), verified=_least(_nodes(verified)))


def _objective(
    slo: Slo, history: SignalHistory, inhabitants: Inhabitants, *, policy: Policy, evictions: Evictions
) -> Objective:
    grid = history.slos.get(slo.name) or Grid.empty(len(history.times))
    measured = _workloads if slo.per == "workload" else _pods
    subjects = tuple(measured(grid, inhabitants, reached=reach(slo, policy)))
    limit = soft_limit(slo, consecutive=policy.eviction.consecutive)
    needed = samples_wanted(limit.window, history.step) + limit.trigger.needed - 1
    return Objective(
        slo=slo,
        subjects=subjects,
        verdicts=judge(_samples(grid, subjects, history, slo=slo, evictions=evictions), limit),
        verified=grid.verified,
        remembers=len(history.times) >= needed,
    )


def _pods(grid: Grid, inhabitants: Inhabitants, *, reached: Reach) -> Iterator[Subject]:
    """Yield one subject for each series of a live pod."""
    for row, name in enumerate(grid.objects):
        pod = inhabitants.by_name.get(name)
        if pod is not None and reached(pod):
            yield Subject(row, (pod,), inhabitants.workload(pod))


def _workloads(grid: Grid, inhabitants: Inhabitants, *, reached: Reach) -> Iterator[Subject]:
    """Yield one subject for each workload with a series and live pods; bare pods have none and are not measured."""
    members: dict[WorkloadRef, list[Pod]] = {}
    for pod in inhabitants:
        ref = inhabitants.workload(pod)
        if ref is not None and reached(pod):
            members.setdefault(ref, []).append(pod)
    for ref, pods in members.items():
        row = grid.row.get(f"{ref.namespace}/{ref.name}")
        if row is not None:
            yield Subject(row, tuple(pods), ref)


def reach(slo: Slo, policy: Policy) -> Reach:
    """Return the test whether an objective is about a pod: its namespaces (or those in scope) and its selector."""
    selector, named = slo.selector.compiled(), frozenset(slo.namespaces)
    covers = named.__contains__ if named else policy.scope.namespaces.cover
    return lambda pod: covers(pod.namespace) and selector.matches(pod.labels)


def _samples(
    grid: Grid, subjects: Sequence[Subject], history: SignalHistory, *, slo: Slo, evictions: Evictions
) -> Samples:
    """Return the subjects' values; a pod's count from when it became ready, which it may never have been."""
    if slo.per == "workload":
        since = [-math.inf] * len(subjects)
        judged_from = [_last(evictions.last_by_workload, subject.workload) for subject in subjects]
    else:
        ready = (subject.pods[0].ready_since for subject in subjects)
        since = [math.inf if at is None else at for at in ready]
        judged_from = [_last(evictions.last_by_node, subject.pods[0].node) for subject in subjects]
    columns = (len(subjects), len(history.times))
    values = fresh_values(grid)[[subject.row for subject in subjects]] if subjects else np.empty(columns)
    return Samples(
        values=values,
        times=history.times,
        step=history.step,
        since=np.array(since, dtype=np.float64),
        judged_from=np.array(judged_from, dtype=np.float64),
    )


def _last(evicted_at: Mapping[Key, float], key: Key | None) -> float:
    """Return when somebody was last evicted there, minus infinity where nobody was."""
    return -math.inf if key is None else evicted_at.get(key, -math.inf)


def _nodes(objectives: Iterable[Objective]) -> Iterator[tuple[str, float]]:
    return ((pod.node or "", average) for objective in objectives for pod, average in objective.averages())


def _least(named: Iterable[tuple[str, float]]) -> Mapping[str, float]:
    least: dict[str, float] = {}
    for name, average in named:
        least[name] = min(average, least.get(name, math.inf))
    return least
