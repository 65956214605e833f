"""Which preemption goes on: none while a hold runs, else one node, never with victims that kube-scheduler did not name.

Preemption is an eviction, so what is in doubt is vetoed; only nodes of which nothing is known pass, as in the filter.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from policies.buoyancy.tolerance import below
from policies.placement.views import View
from policies.values.pods import Pod
from policies.values.standings import NodeStanding

EMPTIED: Final = "vetoed: the filter refused every node for buoyancy, and the pod's hold is not over"
SUNK: Final = "dropped: buoyancy stays below the threshold without the victims"
OUTRANKED: Final = "dropped: another node costs less or gains more"


@dataclass(frozen=True, slots=True)
class Prey:
    """A pod that would be preempted; its priority (None: not known) and `R_i` on the additive resources."""

    uid: str
    priority: int | None = None
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Option:
    """One candidate node with the pods that would go; an empty list is kube-scheduler's way to offer a free node."""

    node: str
    prey: Sequence[Prey] = ()
    violations: int = 0
    standing: NodeStanding | None = None


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
    floating = [option for option in options if view.hold_over or not _sinks(option, view)]
    dropped = dict.fromkeys((option.node for option in options), SUNK)
    if not floating:
        return PreemptDecision(dropped=dropped, held=bool(options))
    kept, lost = _choose(floating, view)
    for option in floating:
        del dropped[option.node]
    return PreemptDecision(kept=kept, dropped=dropped | dict.fromkeys(lost, OUTRANKED))


def _choose(options: Sequence[Option], view: View) -> tuple[list[str], list[str]]:
    """Take the one node that costs least and gains most; where none has victims, hand all on for the next extender."""
    costly = [option for option in options if option.prey]
    if not costly:
        return [option.node for option in options], []
    best = min(costly, key=lambda option: _rank(option, view))
    return [best.node], [option.node for option in options if option is not best]


def _rank(option: Option, view: View) -> tuple[int, float, float, str]:
    """Order by PDB violations, then the highest victim's priority, then gain, then name, so that order says nothing."""
    priorities = [prey.priority for prey in option.prey]
    top = max((float("inf") if priority is None else priority for priority in priorities), default=float("-inf"))
    return option.violations, top, -_gain(option, view), option.node


def _gain(option: Option, view: View) -> float:
    """Return `B_n` without the victims minus `B_n` now; where either is not known, less than any other gain."""
    before = option.standing.filter_buoyancy if option.standing is not None else None
    after = buoyancy_without(option, include_slack=view.buoyancy.include_slack == "filter")
    return float("-inf") if before is None or after is None else after - before


def _sinks(option: Option, view: View) -> bool:
    if option.standing is None or not option.standing.refusable:
        return False
    after = buoyancy_without(option, include_slack=view.buoyancy.include_slack == "filter")
    return after is not None and below(after, view.buoyancy.filter_below)


def buoyancy_without(option: Option, *, include_slack: bool) -> float | None:
    """Return `B_n` once the victims are gone: `1 - max(R_n - sum R_i)`, and the slack where the filter takes it in.

    Only additive resources shrink: a victim has no score on the others.
    """
    standing = option.standing
    if standing is None or standing.filter_buoyancy is None or not standing.scores:
        return None
    gone = _sum(prey.scores for prey in option.prey)
    headroom = 1 - max(score - gone.get(name, 0.0) for name, score in standing.scores.items())
    return headroom if standing.slack is None or not include_slack else min(headroom, standing.slack)


def _sum(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for part in parts:
        for name, score in part.items():
            total[name] = total.get(name, 0.0) + score
    return total
