"""What is written into a plan on its way: phase, progress, conditions, the end; decides none of it."""

import logging
from dataclasses import replace
from typing import Final

from descheduler.planning.ending import End, Stay
from descheduler.planning.store import closed
from descheduler.planning.tooling import Tools
from policies.plans.converging import Progress
from policies.values.plans import Plan, PlanCondition, PlanPhase
from sources.kube import errors
from sources.kube.decoding.tolerant import MalformedObject

_LOG: Final = logging.getLogger(__name__)


class Journal:
    """The plan as it stands, and its object in the cluster kept in step."""

    def __init__(self, tools: Tools, plan: Plan) -> None:
        self.plan = plan
        self._tools = tools

    def enter(self, phase: PlanPhase) -> bool:
        """Go on to a phase; False where nobody can see it yet."""
        self.plan = replace(self.plan, phase=phase)
        return self._tools.store.progress(self.plan)

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
        """Write the end and free the slot: either alone makes the extender release everything."""
        self.plan = closed(self.plan, end.phase, end.reason, at=self._tools.sight.now())
        if self._tools.leads() or self._still_open():
            self._tools.store.write(self.plan)
        self._tools.slot.free()
        _LOG.info("plan %s: %s %s", self.plan.name, end.phase, end.reason)

    def _mark(self, condition: PlanCondition) -> None:
        others = tuple(one for one in self.plan.conditions if one.kind != condition.kind)
        self.plan = replace(self.plan, conditions=(*others, condition))

    def _still_open(self) -> bool:
        """Tell whether nobody has closed the plan: the next leader, if there is one already, may not know of it."""
        try:
            seen = self._tools.store.read(self.plan.name)
        except (errors.ApiError, MalformedObject):
            return False
        return seen is not None and not seen.phase.ended
