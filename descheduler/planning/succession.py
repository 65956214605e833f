"""What a leader does with the plans it finds: closes those that are open, remembers the finished, forgets the old.

A plan that is open while nobody carries it out is closed, never resumed.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from descheduler.planning import telling
from descheduler.planning.store import closed
from descheduler.planning.tooling import Tools
from policies.model.loading import Loaded
from policies.plans import closing
from policies.plans.rails import Pair
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from sources.kube import errors

_LOG: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class Succession:
    """The plans of one namespace, as this process found or made them."""

    tools: Tools
    _recent: tuple[Plan, ...] = ()
    _settled: bool = False
    _doubtful_until: float = field(default=float("-inf"))
    _trouble: str = ""

    def ready(self) -> bool:
        """Tell whether this process leads and has closed what its predecessor, or a failure, left open."""
        if not self.tools.leads():
            self._settled = False
            return False
        if self._settled:
            return True
        closed_all = self._close_open()
        self._settled = closed_all and self.tools.clock.monotonic() >= self._doubtful_until
        return closed_all

    def doubt(self, *, for_: float = 0.0) -> None:
        """Look for open plans before the next attempt, and before every one for so many seconds."""
        self._settled = False
        self._doubtful_until = max(self._doubtful_until, self.tools.clock.monotonic() + for_)

    def resting(self, loaded: Loaded, now: float) -> Mapping[Pair, float]:
        """Return the pairs that failed plans let rest."""
        return closing.resting(self._recent, loaded.policy, now=now)

    def remember(self, plan: Plan, loaded: Loaded) -> None:
        """Keep a finished plan, and delete those that concern nobody any more."""
        self._recent = (*self._recent, plan)
        old = closing.forgettable(self._recent, loaded.policy, now=self.tools.sight.now())
        gone = {each.uid for each in old if self.tools.store.delete(each)}
        self._recent = tuple(each for each in self._recent if each.uid not in gone)

    def _close_open(self) -> bool:
        """Close every open plan and empty the slot; False where that could not all be done."""
        tools = self.tools
        try:
            left = tools.slot.clear()
            plans = tools.store.all()
            unfinished = [plan for plan in plans if not plan.phase.ended]
            cluster = tools.sight.consistent() if unfinished else None
        except errors.ApiError as error:
            if str(error) != self._trouble:
                _LOG.warning("what is open of earlier plans is not known, so none is made: %s", error)
            self._trouble = str(error)
            return False
        self._trouble = ""
        if left.plan is not None:
            _LOG.info("the slot held the plan %s of %s and is empty now", left.plan, left.holder)
        ends = [self._close(plan, cluster) for plan in unfinished if cluster is not None]
        done = {plan.uid: plan for plan in ends if plan is not None}
        self._recent = tuple(done.get(plan.uid, plan) for plan in plans)
        return len(done) == len(unfinished)

    def _close(self, plan: Plan, cluster: Cluster) -> Plan | None:
        phase, reason = closing.outcome(plan, cluster)
        ended = closed(plan, phase, reason, at=cluster.now)
        if not self.tools.store.write(ended):
            return None
        self.tools.metrics.ended(ended, outcome=str(phase), word="taken-over")
        self.tools.events.tell(telling.ended(ended, self.tools.namespace))
        return ended
