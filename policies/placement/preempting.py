"""Which preemption goes on: none while a hold runs, else one node, never with victims that kube-scheduler did not name.

Preemption is an eviction, so what is in doubt is vetoed; only nodes of which nothing is known pass, as in the filter.
"""

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from types import MappingProxyType
from typing import Final, NamedTuple

from policies.buoyancy.tolerance import TOLERANCE, below
from policies.placement.expected_load import Resident
from policies.placement.views import View
from policies.values.pods import Pod
from policies.values.standings import NodeStanding

EMPTIED: Final = "vetoed: the filter refused every node for buoyancy, and the pod's hold is not over"
PLANNED: Final = "vetoed: the active plan places this pod"
HELD: Final = "vetoed: the pod waits until the active plan is carried out"
PLAN_FIRST: Final = "vetoed: a plan may come first, plan.beforePreemption is not over"
PROMISED: Final = "dropped: the active plan has promised the node's room, or keeps it from pods like this one"
SUNK: Final = "dropped: buoyancy stays below the threshold without the victims"
# Ranks last: a victim of which nothing is known may be the most important one.
_UNKNOWN: Final = math.inf
_PROMISE: Final = itemgetter(0)
OUTRANKED: Final = "dropped: another node costs less or gains more"


class Sight(NamedTuple):
    """How a candidate stands, and what it would be rid of without its victims: `R_i` in sum, by additive resource."""

    standing: NodeStanding | None = None
    relief: Mapping[str, float] = MappingProxyType({})


def _anything() -> float:
    return math.inf


class Option(NamedTuple):
    """One candidate node, with the priorities of the pods that would go (None: not known); none of them: a free node.

    `look` tells more of it, `most` how much it can gain at all: of a thousand candidates that cost the same, only
    those that can still be the best are looked at. `victims` are the pods that would go, as far as they are known.
    """

    node: str
    priorities: Sequence[int | None] = ()
    violations: int = 0
    look: Callable[[], Sight] = Sight
    most: Callable[[], float] = _anything
    victims: Sequence[Resident] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptDecision:
    """The nodes that go back, each with the victims it came with; why the others do not, by node or for all.

    `held` tells that buoyancy alone left no node: the pod's hold runs from here.
    """

    kept: Sequence[str] = ()
    dropped: Mapping[str, str] = field(default_factory=dict)
    exempt: str | None = None
    veto: str | None = None
    held: bool = False


def decide_preempt(pod: Pod, options: Sequence[Option], view: View) -> PreemptDecision:
    """Decide on the candidates of one preempt call."""
    exempt = view.reach.exemption(pod)
    if exempt is not None:
        return PreemptDecision(kept=[option.node for option in options], exempt=exempt)
    veto = _veto(view)
    if veto is not None:
        return PreemptDecision(veto=veto)
    promised = _promised(options, view)
    decision = _weigh([option for option in options if option.node not in promised], view)
    return replace(decision, dropped={**decision.dropped, **promised}) if promised else decision


def _veto(view: View) -> str | None:
    """Say why the pod may preempt nobody now, None where it may.

    The plan's own victims are none of kube-scheduler's: it would take more for a pod that they make room for.
    """
    if view.plan is not None and view.plan.awaited:
        return PLANNED
    if view.plan is not None and view.plan.held:
        return HELD
    if view.plan_first:
        return PLAN_FIRST
    return EMPTIED if view.emptied and not view.hold_over else None


def _promised(options: Sequence[Option], view: View) -> dict[str, str]:
    """Return the candidates that the filter would refuse for the plan's sake even with their victims gone."""
    plan = view.plan
    if plan is None:
        return {}
    barred = plan.barred([option.node for option in options])
    near = (option for option in options if option.node in plan.force.promised)
    closed = (one.node for one in near if plan.closes(one.node, victims=[pod for pod, _ in one.victims]))
    return dict.fromkeys((*barred, *closed), PROMISED)


def _weigh(options: Sequence[Option], view: View) -> PreemptDecision:
    scales = _Scales.of(view)
    sunk: dict[str, str] = {}
    for group in _by_cost(options, view.steered):
        weighed = _weighed(group, scales)
        sunk |= {node: SUNK for node, gain in weighed.items() if gain is None}
        gains = {node: gain for node, gain in weighed.items() if gain is not None}
        if gains:
            kept = _best(gains) if group[0].priorities else [*gains]
            return PreemptDecision(kept=kept, dropped=_outranked(options, kept) | sunk)
    return PreemptDecision(dropped=sunk, held=bool(options))


def _weighed(group: Sequence[Option], scales: "_Scales") -> dict[str, float | None]:
    """Return what the candidates of one cost gain (None: sunk all the same), without those that cannot be the best.

    Those that promise most come first, so that most of a thousand are not looked at. Of free nodes all are.
    """
    if not group[0].priorities:
        return {option.node: scales.gain(option.look()) for option in group}
    promised = [(option.most(), option) for option in group]
    promised.sort(key=_PROMISE, reverse=True)
    best, weighed = -math.inf, {}
    for most, option in promised:
        if most < best - TOLERANCE:  # a gain is a difference of floats: as good as its promise may be a little more
            break
        weighed[option.node] = gain = scales.gain(option.look())
        best = best if gain is None else max(best, gain)
    return weighed


def _outranked(options: Iterable[Option], kept: Iterable[str]) -> dict[str, str]:
    others = dict.fromkeys([option.node for option in options], OUTRANKED)
    for node in kept:
        del others[node]
    return others


def _by_cost(options: Iterable[Option], steered: Container[str]) -> Iterator[list[Option]]:
    """Yield the candidates of the same cost, the cheapest first: PDB violations, then the highest victim's priority.

    A node that the workload was just evicted from comes after the others: others would die to bring it back there.
    Free nodes come last: they are handed on for the next extender where no other is left.
    """
    groups: dict[tuple[float, float, float], list[Option]] = {}
    for option in options:
        groups.setdefault(_cost(option, steered), []).append(option)
    yield from (groups[cost] for cost in sorted(groups))


def _cost(option: Option, steered: Container[str]) -> tuple[float, float, float]:
    if not option.priorities:
        return math.inf, math.inf, math.inf
    top = max([_UNKNOWN if priority is None else priority for priority in option.priorities])
    return option.node in steered, option.violations, top


def _best(gains: Mapping[str, float]) -> list[str]:
    """Take the node that gains most; of equals the first by name, so that order says nothing."""
    return [min(gains, key=lambda node: (-gains[node], node))]


@dataclass(frozen=True, slots=True)
class _Scales:
    """What candidates are weighed by; nodes below `least` with their victims gone are not worth them, None: all are."""

    least: float | None
    include_slack: bool

    @staticmethod
    def of(view: View) -> "_Scales":
        least = None if view.hold_over else view.buoyancy.filter_below
        return _Scales(least, include_slack=view.buoyancy.include_slack == "filter")

    def gain(self, sight: Sight) -> float | None:
        """Return `B_n` without the victims minus `B_n` now; None where the node stays below the threshold all the same.

        Where either is not known the gain is less than any other: such a node passes, as in the filter.
        """
        standing = sight.standing
        after = buoyancy_without(sight, include_slack=self.include_slack)
        if standing is None or standing.filter_buoyancy is None or after is None:
            return -math.inf
        if self.least is not None and standing.refusable and below(after, self.least):
            return None
        return after - standing.filter_buoyancy


def buoyancy_without(sight: Sight, *, include_slack: bool) -> float | None:
    """Return `B_n` once the victims are gone: `1 - max(R_n - sum R_i)`, and the slack where the filter takes it in.

    Only additive resources shrink: a victim has no score on the others.
    """
    standing, relief = sight
    if standing is None or standing.filter_buoyancy is None or not standing.scores:
        return None
    left = {**standing.scores}
    for name, share in relief.items():
        if name in left:
            left[name] -= share
    headroom = 1 - max(left.values())
    return headroom if standing.slack is None or not include_slack else min(headroom, standing.slack)
