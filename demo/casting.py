"""Chooses where the story takes place, from where the scheduler put the pods; pure.

The load of a chosen pod is raised to what makes the point and no more, so that one move is the cure wherever the pods
are. Who is moved, and where to, is for Bayplan to find.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from demo import load
from demo.load import Pod
from demo.workloads import ENCODER, FRONTEND, REPORTS, WORKLOADS

# The hot node is left this full (demand by CPUs) when its second largest taker has gone.
_RELIEVED: Final = 0.8
# The least demand on the hot node: all busy, and tasks waiting.
_HOT: Final = 1.03
# Full enough for a slow service, and not oversubscribed.
_SLOW: Final = 0.84
CORES: Final[Mapping[str, float]] = {workload.name: workload.cores for workload in WORKLOADS}
_KEPT: Final = frozenset(workload.name for workload in WORKLOADS if workload.vetoed)


class NoStageError(RuntimeError):
    """The pods are so placed that the story cannot be told; the text says what was looked for."""


@dataclass(frozen=True, slots=True)
class Surge:
    """A pod that will want `cores` more, on a node that becomes so full (demand by CPUs)."""

    pod: Pod
    cores: float
    ratio: float


def heat(pods: Iterable[Pod]) -> Surge:
    """Choose a node that becomes hot because a pod that must not be moved wants more.

    Raises:
        NoStageError: there is no such node.
    """
    nodes = _by_node(pods)
    surges = filter(None, map(_heating, nodes.values()))
    chosen = max(surges, key=lambda surge: surge.ratio, default=None)
    if chosen is None:
        raise NoStageError(
            f"no node has a pod of {ENCODER.name}, none of {FRONTEND.name}, and one that takes enough for its going "
            f"to relieve the node: {_summary(nodes)}"
        )
    return chosen


def slow(pods: Iterable[Pod], *, besides: Collection[str]) -> Surge:
    """Choose a node, none of `besides`, that becomes so full that its frontend is slow, and not oversubscribed.

    Raises:
        NoStageError: there is no such node.
    """
    nodes = _by_node(pod for pod in pods if pod.node not in besides)
    surges = filter(None, map(_slowing, nodes.values()))
    chosen = min(surges, key=lambda surge: surge.cores, default=None)
    if chosen is None:
        raise NoStageError(f"no node has a pod of {FRONTEND.name} beside one of {REPORTS.name}: {_summary(nodes)}")
    return chosen


def _by_node(pods: Iterable[Pod]) -> dict[str, list[Pod]]:
    nodes: dict[str, list[Pod]] = {}
    for pod in pods:
        nodes.setdefault(pod.node, []).append(pod)
    return nodes


def _heating(here: list[Pod]) -> Surge | None:
    """Return the surge of the vetoed pod that the largest other pod's going would just relieve."""
    vetoed = next((pod for pod in here if pod.workload == ENCODER.name), None)
    free = [CORES[pod.workload] for pod in here if pod.workload not in _KEPT]
    if vetoed is None or not free or any(pod.workload == FRONTEND.name for pod in here):
        return None
    goal = _RELIEVED * load.CPUS + max(free)
    cores = goal - _wanted(here)
    largest = CORES[vetoed.workload] + cores > max(free)
    return Surge(vetoed, cores, goal / load.CPUS) if largest and goal >= _HOT * load.CPUS else None


def _slowing(here: list[Pod]) -> Surge | None:
    """Return the surge of a batch pod that makes the service beside it slow."""
    batch = next((pod for pod in here if pod.workload == REPORTS.name), None)
    cores = _SLOW * load.CPUS - _wanted(here)
    if batch is None or cores <= 0 or not any(pod.workload == FRONTEND.name for pod in here):
        return None
    return Surge(batch, cores, _SLOW)


def _wanted(pods: list[Pod]) -> float:
    return sum(CORES[pod.workload] for pod in pods)


def _summary(nodes: Mapping[str, list[Pod]]) -> str:
    return "; ".join(f"{node}: {', '.join(sorted(p.workload for p in here))}" for node, here in sorted(nodes.items()))
