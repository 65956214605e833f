"""What kube-scheduler's calls get: the state at the moment put into a view, the policy asked, the outcome remembered.

A call touches memory only. Nothing here decides: `policies.placement` does.
"""

import logging
import threading
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import starmap
from typing import Any, Final, Protocol

from extender.codec import Victims
from extender.holding import Holding
from extender.ledger import Ledger
from extender.plans import Plans
from extender.rulings import Ruling, Rulings
from policies.placement.filtering import FilterDecision, decide_filter
from policies.placement.holds import hold_left
from policies.placement.preempting import Option, PreemptDecision, decide_preempt
from policies.placement.prioritizing import decide_prioritize
from policies.placement.ratings import Ratings
from policies.placement.reasons import Reason
from policies.placement.steering import owners, steered_nodes
from policies.placement.views import View
from policies.plans.holding import may_come
from policies.values.pods import Pod
from policies.values.standings import NodeStanding
from sources.clocks import Clock

_LOG = logging.getLogger(__name__)

# Times of conditions are cut to whole seconds, and a hold must not end early: a preemption cannot be taken back.
_CUT: Final = 1.0


class Nodes(Protocol):
    """What is known of nodes and of the pods on them; the board, or a fake."""

    @property
    def ratings(self) -> Ratings:
        """Return the ratings of all nodes."""
        ...

    @property
    def lines(self) -> Mapping[str, str]:
        """Return the scores of fully measured nodes as an answer has them."""
        ...

    def standing(self, node: str) -> NodeStanding | None:
        """Return how a node stands, None where nothing is known of it."""
        ...

    def option(self, node: str, victims: Victims) -> Option:
        """Return a node as a candidate for preemption."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything that answers are made of besides the request. `nudged` is set to have sleeping pods woken."""

    rulings: Rulings
    nodes: Nodes
    ledger: Ledger
    holding: Holding
    clock: Clock
    plans: Plans = field(default_factory=Plans)
    nudged: threading.Event = field(default_factory=threading.Event)


class Judge:
    """Answers the three verbs and the question why; may be used by several threads at once."""

    def __init__(self, state: State) -> None:
        self._state = state

    def filter(self, pod: Pod, names: Collection[str]) -> FilterDecision:
        """Decide on a filter call."""
        with self.turn:
            view = self.view(pod)
            decision = decide_filter(pod, names, view)
            self._state.plans.answered(view.plan, pod, decision, now=self._state.clock.monotonic())
        if decision.emptied:
            self._hold(pod, view, asleep=True)
            self._recheck(decision)
        elif decision.exempt is None:
            self._state.holding.awaken(_key(pod))
        if _LOG.isEnabledFor(logging.DEBUG):
            refused = {reason.value: list(names) for reason, names in decision.refused.items()}
            _LOG.debug(
                "filter %s: %d of %d pass (%s)", pod, len(decision.passed), len(names), decision.exempt or refused
            )
        return decision

    def prioritize(self, pod: Pod, names: Collection[str]) -> list[int]:
        """Score the names of a prioritize call."""
        return decide_prioritize(pod, names, self._bare_view(pod))

    def lines(self, pod: Pod, names: Collection[str]) -> list[str] | None:
        """Return what `prioritize` says as written entries; None where a score is not simply the node's own."""
        if self._state.rulings.current.reach.exemption(pod) is not None:
            return None
        found = [*map(self._state.nodes.lines.get, names)]
        return None if None in found else found  # type: ignore[return-value]  # as just asked

    def preempt(self, pod: Pod, candidates: Mapping[str, Victims]) -> PreemptDecision:
        """Decide on a preempt call."""
        options = [*starmap(self._state.nodes.option, candidates.items())]
        with self.turn:
            view = replace(self.view(pod), plan_first=self._plan_first(pod))
            decision = decide_preempt(pod, options, view)
            self._state.plans.preempts(view.plan, pod, decision.kept, now=self._state.clock.monotonic())
        if decision.held:
            self._hold(pod, view, asleep=view.emptied)
        return decision

    def view(self, pod: Pod) -> View:
        """Put together what decisions about a pod rest on now, for as long as it is our `turn`."""
        state, most_held = self._state, self._state.rulings.current.policy.plan.max_held
        sight = state.plans.sight(pod, most_held=most_held, now=state.clock.monotonic())
        return replace(self._bare_view(pod), plan=sight)

    @property
    def turn(self) -> AbstractContextManager[Any]:
        """What a view may be used under: no plan and no claim changes meanwhile."""
        return self._state.plans.turn

    def _bare_view(self, pod: Pod) -> View:
        """Return the view without plans, in which scores have no part."""
        state, ruling = self._state, self._state.rulings.current
        hold = state.holding.of(_key(pod))
        return View(
            reach=ruling.reach,
            buoyancy=ruling.policy.buoyancy,
            ratings=state.nodes.ratings,
            steered=self._steered(pod, ruling),
            hold_over=self._hold_left(pod, ruling) <= 0,
            emptied=hold is not None and hold.asleep,
        )

    def _plan_first(self, pod: Pod) -> bool:
        """Tell whether the pod's preemption waits for a plan: for `beforePreemption`, if one could come at all."""
        policy, plans, now = self._state.rulings.current.policy, self._state.plans, self._state.clock.monotonic()
        if not policy.plan.before_preemption or not may_come(policy, leader_silent_for=plans.leader_silent_for(now)):
            return False
        asked_for = plans.preempting_for(pod, now=now)
        return self._left(policy.plan.before_preemption, asked_for, pod) > 0

    def _steered(self, pod: Pod, ruling: Ruling) -> Mapping[str, float]:
        records = self._state.ledger.of(owners(pod))
        if not records:
            return {}
        avoid = ruling.policy.steering.avoid_source
        return steered_nodes(records, now=self._state.clock.now(), avoid_source=avoid)

    def _hold_left(self, pod: Pod, ruling: Ruling) -> float:
        hold = self._state.holding.of(_key(pod))
        held_for = None if hold is None else self._state.clock.monotonic() - hold.since
        return self._left(ruling.policy.buoyancy.max_hold, held_for, pod)

    def _left(self, longest: float, held_for: float | None, pod: Pod) -> float:
        since = pod.unschedulable_since
        waits_for = None if since is None else self._state.clock.now() - since - _CUT
        return hold_left(max_hold=longest, held_for=held_for, unschedulable_for=waits_for)

    def _hold(self, pod: Pod, view: View, *, asleep: bool) -> None:
        """Start or renew a pod's hold; it wakes when the hold or the first of its steerings ends."""
        ruling, now = self._state.rulings.current, self._state.clock.monotonic()
        until = now + self._hold_left(pod, ruling)
        ends = [at + ruling.policy.steering.avoid_source - self._state.clock.now() for at in view.steered.values()]
        wakes = min([until, *(now + left for left in ends)])
        self._state.holding.refuse(_key(pod), now=now, until=until, asleep=asleep, wakes=wakes)

    def _recheck(self, decision: FilterDecision) -> None:
        """Have the pod woken at once where a node came free after it was refused: nobody slept then, to be woken."""
        low = self._state.nodes.ratings.below
        if any(name not in low for name in decision.refused[Reason.BUOYANCY]):
            self._state.nudged.set()


def _key(pod: Pod) -> str:
    return pod.uid or str(pod)
