"""What a leader does with the plans it finds: closes those that are open, remembers the finished, forgets the old.

A plan that is open while nobody carries it out is closed, never resumed.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
# Arbitrary. A call of a predecessor that was paused may arrive at any time: a plan that nobody carries out any more.
_LOOKS_ANEW_EVERY: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """The end of a plan that the cluster does not know of yet, its reason in one word, and whether it is counted."""

    plan: Plan
    word: str
    counted: bool = False


@dataclass(slots=True)
class Succession:
    """The plans of one namespace, as this process found or made them."""

    tools: Tools
    _recent: tuple[Plan, ...] = ()
    _settled: bool = False
    _looked_at: float = field(default=float("-inf"))
    _doubtful_until: float = field(default=float("-inf"))
    _owed: dict[str, Owed] = field(default_factory=dict)
    _trouble: str = ""

    def ready(self) -> bool:
        """Tell whether this process leads and has closed what its predecessor, or a failure, left open."""
        if not self.tools.leads():
            self._settled = False
            return False
        now = self.tools.clock.monotonic()
        if self._settled and now - self._looked_at < _LOOKS_ANEW_EVERY:
            return True
        self._looked_at = now
        closed_all = self._close_open()
        self._settled = closed_all and self.tools.clock.monotonic() >= self._doubtful_until
        if self._settled:
            self._owed.clear()  # what was to come has not come
        return closed_all

    def doubt(self, *, for_: float = 0.0) -> None:
        """Look for open plans before the next attempt, and before every one for so many seconds."""
        self._settled = False
        self._doubtful_until = max(self._doubtful_until, self.tools.clock.monotonic() + for_)

    def owe(self, owed: Owed, *, for_: float = 0.0) -> None:
        """Remember an end that could not be written: it is written as soon as that works, with its own reason.

        For so many seconds the plan itself may only come to exist.
        """
        self._owed[owed.plan.name] = owed
        self.doubt(for_=for_)

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
        """Close every open plan and empty the slot; False where that could not all be done.

        Reading takes a while, in which another process may have taken the lease and begun a plan: that one is not open.
        """
        tools = self.tools
        try:
            left = tools.slot.clear(leads=tools.leads)
            plans = tools.store.all()
            unfinished = [plan for plan in plans if not plan.phase.ended]
            cluster = tools.sight.consistent() if unfinished else None
        except errors.ApiError as error:
            if str(error) != self._trouble:
                _LOG.warning("what is open of earlier plans is not known, so none is made: %s", error)
            self._trouble = str(error)
            return False
        self._trouble = ""
        if not tools.leads():
            return False
        if left.plan is not None:
            _LOG.info("the slot held the plan %s of %s and is empty now", left.plan, left.holder)
        ends = [self._close(plan, cluster) for plan in unfinished if cluster is not None]
        done = {plan.uid: plan for plan in ends if plan is not None}
        self._recent = tuple(done.get(plan.uid, plan) for plan in plans)
        return len(done) == len(unfinished)

    def _close(self, plan: Plan, cluster: Cluster) -> Plan | None:
        owed = self._owed.get(plan.name)
        wanted = _taken_over(plan, cluster) if owed is None else _as_owed(plan, owed.plan)
        ended = self.tools.store.close(wanted)
        if ended is not None:
            self._owed.pop(plan.name, None)
        if ended is not wanted:
            return ended
        if owed is None or not owed.counted:
            word = "taken-over" if owed is None else owed.word
            self.tools.metrics.ended(ended, outcome=str(ended.phase), word=word)
        # What could be told when it happened is not told twice.
        self.tools.events.tell(telling.ended(ended, self.tools.namespace))
        return ended


def _taken_over(plan: Plan, cluster: Cluster) -> Plan:
    phase, reason = closing.outcome(plan, cluster)
    return closed(plan, phase, reason, at=cluster.now)


def _as_owed(plan: Plan, owed: Plan) -> Plan:
    """Return a plan as it stands in the cluster, with the end that could not be written."""
    ended = closed(plan, owed.phase, owed.reason, at=owed.finished_at or owed.started_at)
    return replace(ended, progress=owed.progress, conditions=owed.conditions)
