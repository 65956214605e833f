"""Which preemption goes on: none while a hold runs, else one node, never with victims that kube-scheduler did not name.

Preemption is an eviction, so what is in doubt is vetoed; only nodes of which nothing is known pass, as in the filter.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from policies.buoyancy.tolerance import below
from policies.placement.views import View
from policies.values.pods import Pod
from policies.values.standings import NodeStanding

EMPTIED: Final = "vetoed: the filter refused every node for buoyancy, and the pod's hold is not over"
SUNK: Final = "dropped: buoyancy stays below the threshold without the victims"
# Ranks last: a victim of which nothing is known may be the most important one.
_UNKNOWN: Final = math.inf
OUTRANKED: Final = "dropped: another node costs less or gains more"


@dataclass(frozen=True, slots=True)
class Option:
    """One candidate node: how it stands, and the pods that would go; none is kube-scheduler's way to offer a free node.

    `priorities` are those of the victims, None where not known; `relief` is the sum of their `R_i`, by additive
    resource.
    """

    node: str
    priorities: Sequence[int | None] = ()
    violations: int = 0
    standing: NodeStanding | None = None
    relief: Mapping[str, float] = field(default_factory=dict)


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
    if view.emptied and not view.hold_over:
        return PreemptDecision(veto=EMPTIED)
    include_slack = view.buoyancy.include_slack == "filter"
    weighed = [_Weighed(option, buoyancy_without(option, include_slack=include_slack)) for option in options]
    floating = [one for one in weighed if view.hold_over or not _sinks(one, view.buoyancy.filter_below)]
    dropped = dict.fromkeys((option.node for option in options), SUNK)
    if not floating:
        return PreemptDecision(dropped=dropped, held=bool(options))
    kept, lost = _choose(floating)
    for one in floating:
        del dropped[one.option.node]
    return PreemptDecision(kept=kept, dropped=dropped | dict.fromkeys(lost, OUTRANKED))


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A candidate with `B_n` once its victims are gone."""

    option: Option
    after: float | None


def _choose(weighed: Sequence[_Weighed]) -> tuple[list[str], list[str]]:
    """Take the one node that costs least and gains most; where none has victims, hand all on for the next extender."""
    costly = [one for one in weighed if one.option.priorities]
    if not costly:
        return [one.option.node for one in weighed], []
    best = min(costly, key=_rank)
    return [best.option.node], [one.option.node for one in weighed if one is not best]


def _rank(one: _Weighed) -> tuple[int, float, float, str]:
    """Order by PDB violations, then the highest victim's priority, then gain, then name, so that order says nothing."""
    priorities = one.option.priorities
    top = _UNKNOWN if None in priorities else max(known for known in priorities if known is not None)
    return one.option.violations, top, -_gain(one), one.option.node


def _gain(one: _Weighed) -> float:
    """Return `B_n` without the victims minus `B_n` now; where either is not known, less than any other gain."""
    before = one.option.standing.filter_buoyancy if one.option.standing is not None else None
    return -math.inf if before is None or one.after is None else one.after - before


def _sinks(one: _Weighed, threshold: float) -> bool:
    """Tell whether a node stays below the threshold, on verified values."""
    standing = one.option.standing
    return standing is not None and standing.refusable and one.after is not None and below(one.after, threshold)


def buoyancy_without(option: Option, *, include_slack: bool) -> float | None:
    """Return `B_n` once the victims are gone: `1 - max(R_n - sum R_i)`, and the slack where the filter takes it in.

    Only additive resources shrink: a victim has no score on the others.
    """
    standing = option.standing
    if standing is None or standing.filter_buoyancy is None or not standing.scores:
        return None
    relief = option.relief
    headroom = 1 - max(score - relief.get(name, 0.0) for name, score in standing.scores.items())
    return headroom if standing.slack is None or not include_slack else min(headroom, standing.slack)
