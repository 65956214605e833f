"""What is written into a plan on its way: phase, progress, conditions, the end; decides none of it."""

import logging
from dataclasses import replace
from typing import Final

from descheduler.planning.ending import End, Stay
from descheduler.planning.store import closed
from descheduler.planning.tooling import Tools
from policies.plans.converging import Progress
from policies.values.plans import Plan, PlanCondition, PlanPhase

_LOG: Final = logging.getLogger(__name__)
_TRIES: Final = 2  # what is still not written then is written before the next plan
_AGAIN: Final = 0.5


class Journal:
    """The plan as it stands, and its object in the cluster kept in step."""

    def __init__(self, tools: Tools, plan: Plan) -> None:
        self.plan = plan
        self.written = False
        self.ours = True
        self._tools = tools

    def enter(self, phase: PlanPhase, *, tries: int = 1) -> bool:
        """Go on to a phase; False where nobody can see it yet."""
        self.plan = replace(self.plan, phase=phase)
        for left in reversed(range(tries)):
            if self._tools.store.write(self.plan):
                return True
            if left:
                self._tools.pause(_AGAIN)
        return False

    def show(self, progress: Progress) -> None:
        """Show how many pods are placed, moved and evicted."""
        self.plan = replace(self.plan, progress=progress.counts)
        self._tools.store.progress(self.plan)

    def met(self, kind: str, word: str, message: str) -> None:
        """Note that a step is done."""
        self._mark(PlanCondition(kind=kind, met=True, reason=word, message=message, at=self._tools.sight.now()))

    def unmet(self, kind: str, stay: Stay) -> None:
        """Note why a step is not done."""
        at = self._tools.sight.now()
        self._mark(PlanCondition(kind=kind, met=False, reason=stay.word, message=stay.reason, at=at))

    def close(self, end: End) -> None:
        """Write the end and free the slot: either alone makes the extender release everything.

        Afterwards `written` tells whether the cluster knows, `ours` whether it is for us to tell: what the next leader
        has ended is not.
        """
        wanted = closed(self.plan, end.phase, end.reason, at=self._tools.sight.now())
        self.plan = wanted
        found, freed = self._tools.store.close(wanted), self._tools.slot.free()
        for _ in range(_TRIES):
            if found is None or not freed:
                self._tools.pause(_AGAIN)
                found, freed = found or self._tools.store.close(wanted), freed or self._tools.slot.free()
        self.written, self.ours = found is not None, found is wanted or self._tools.leads()
        self.plan = wanted if found is None else replace(found, reason=found.reason or wanted.reason)
        _LOG.info("plan %s: %s %s", self.plan.name, self.plan.phase, self.plan.reason)

    def _mark(self, condition: PlanCondition) -> None:
        others = tuple(one for one in self.plan.conditions if one.kind != condition.kind)
        self.plan = replace(self.plan, conditions=(*others, condition))
