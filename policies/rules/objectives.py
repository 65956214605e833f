"""Service level objectives on the pods and workloads they are about: average slack and lasting breaches.

An indicator is `per: pod` or `per: workload`; a series that no live pod or workload answers to is ignored, as series
of deleted pods linger. Nothing here proposes anybody.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from policies.buoyancy.averages import samples_wanted
from policies.buoyancy.debounce import Trigger
from policies.buoyancy.saturation import fresh_values
from policies.buoyancy.soft_limit import Samples, SoftLimit, judge
from policies.buoyancy.standing import NodeSlacks
from policies.model.policy import Policy
from policies.model.slos import Slo
from policies.rules.evictions import Evictions
from policies.rules.inhabitants import Inhabitants
from policies.values.pods import Pod
from policies.values.signals import Floats, Grid, SignalHistory
from policies.values.workloads import WorkloadRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One pod (or, `per: workload`, one workload with its pods) under one objective.

    `average` is `s_bar`, None where unknown. `trouble` is after debounce and hysteresis, `breaching` the newest
    evaluation alone.
    """

    pods: tuple[Pod, ...]
    workload: WorkloadRef | None
    average: float | None
    trouble: bool
    breaching: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """An objective with its readings. `verified` is False without an `age` query: nobody is evicted for it.

    `remembers` is False while the history is shorter than window and debounce need.
    """

    slo: Slo
    readings: tuple[Reading, ...]
    verified: bool
    remembers: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """Whom one row is about: the pods, their workload, from when its samples count and its evaluations speak."""

    key: str
    pods: tuple[Pod, ...]
    workload: WorkloadRef | None
    since: float
    judged_from: float


def measure(
    history: SignalHistory, inhabitants: Inhabitants, *, policy: Policy, evictions: Evictions
) -> tuple[Objective, ...]:
    """Return every objective of the policy as the history measures it."""
    namespaces = {pod.namespace for pod in inhabitants}
    in_scope = frozenset(name for name in namespaces if policy.scope.namespaces.cover(name))
    found = []
    for slo in policy.slos:
        pods = inhabitants.under(slo, in_scope=in_scope)
        by_workload = slo.per == "workload"
        subjects = _workloads(pods, inhabitants, evictions) if by_workload else _pods(pods, inhabitants, evictions)
        limit = soft_limit(slo, consecutive=policy.eviction.consecutive)
        found.append(_objective(slo, history, limit=limit, subjects=tuple(subjects)))
    return tuple(found)


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


def _objective(slo: Slo, history: SignalHistory, *, limit: SoftLimit, subjects: tuple[_Subject, ...]) -> Objective:
    grid = history.slos.get(slo.name) or Grid.empty(len(history.times))
    samples = Samples(
        values=_rows(grid, subjects, columns=len(history.times)),
        times=history.times,
        step=history.step,
        since=np.array([subject.since for subject in subjects]),
        judged_from=np.array([subject.judged_from for subject in subjects]),
    )
    verdicts = judge(samples, limit)
    needed = samples_wanted(limit.window, history.step) + limit.trigger.needed - 1
    return Objective(
        slo=slo,
        readings=tuple(
            Reading(
                pods=subject.pods,
                workload=subject.workload,
                average=None if math.isnan(average) else average,
                trouble=trouble,
                breaching=breaching,
            )
            for subject, average, trouble, breaching in zip(
                subjects,
                verdicts.average.tolist(),
                verdicts.trouble.tolist(),
                verdicts.breaching.tolist(),
                strict=True,
            )
        ),
        verified=grid.verified,
        remembers=len(history.times) >= needed,
    )


def _rows(grid: Grid, subjects: tuple[_Subject, ...], *, columns: int) -> Floats:
    """Return the grid's values in the order of the subjects; whoever has no row is missing throughout."""
    values = np.full((len(subjects), columns), np.nan)
    rows = [(at, grid.row[subject.key]) for at, subject in enumerate(subjects) if subject.key in grid.row]
    if rows:
        ours, theirs = zip(*rows, strict=True)
        values[list(ours)] = fresh_values(grid)[list(theirs)]
    return values


def _pods(pods: Iterable[Pod], inhabitants: Inhabitants, evictions: Evictions) -> Iterable[_Subject]:
    """Return one subject a pod; its samples count from when it became ready, which it may never have been."""
    for pod in pods:
        yield _Subject(
            key=str(pod),
            pods=(pod,),
            workload=inhabitants.workload(pod),
            since=math.inf if pod.ready_since is None else pod.ready_since,
            judged_from=evictions.last_by_node.get(pod.node or "", -math.inf),
        )


def _workloads(pods: Iterable[Pod], inhabitants: Inhabitants, evictions: Evictions) -> Iterable[_Subject]:
    """Return one subject a workload; bare pods have none and are not measured."""
    members: dict[WorkloadRef, list[Pod]] = {}
    for pod in pods:
        ref = inhabitants.workload(pod)
        if ref is not None:
            members.setdefault(ref, []).append(pod)
    for ref, replicas in sorted(members.items()):
        yield _Subject(
            key=f"{ref.namespace}/{ref.name}",
            pods=tuple(replicas),
            workload=ref,
            since=-math.inf,
            judged_from=evictions.last_by_workload.get(ref, -math.inf),
        )


def slack_by_pod(objectives: Iterable[Objective]) -> Mapping[str, float]:
    """Return the least known `s_bar` of each pod, by UID."""
    return _least((pod.uid, average) for pod, average in _known(objectives))


def node_slacks(objectives: Iterable[Objective]) -> NodeSlacks:
    """Return the least known `s_bar` of each node's pods, with and without the objectives whose age nobody knows."""
    measured = tuple(objectives)
    verified = [objective for objective in measured if objective.verified]
    return NodeSlacks(any=_least(_nodes(measured)), verified=_least(_nodes(verified)))


def _known(objectives: Iterable[Objective]) -> Iterator[tuple[Pod, float]]:
    """Yield pods with their known `s_bar`; what a workload suffers as a whole says nothing of one replica."""
    for objective in objectives:
        for reading in objective.readings:
            if objective.slo.per == "pod" and reading.average is not None:
                yield reading.pods[0], reading.average


def _nodes(objectives: Iterable[Objective]) -> Iterator[tuple[str, float]]:
    return ((pod.node or "", average) for pod, average in _known(objectives))


def _least(named: Iterable[tuple[str, float]]) -> Mapping[str, float]:
    least: dict[str, float] = {}
    for name, average in named:
        least[name] = min(average, least.get(name, math.inf))
    return least
