"""What is asked of the solver for one attempt, candidate by candidate, and what came of it; carries nothing out."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from descheduler.ledger import Ledger
from descheduler.observing import on_one_clock
from descheduler.planning.computing import LEAST, Computed, Question
from descheduler.planning.desk import Asked, Desk
from descheduler.planning.problems.measured import NOTHING_MEASURED
from descheduler.planning.results import CANCELLED, REFUSED, UNREADABLE, Result
from policies.model.loading import Loaded
from policies.model.policy import Policy
from policies.rails.situation import Situation
from policies.values import kinds
from policies.values.plans import Plan
from sources.kube import errors

if TYPE_CHECKING:
    from descheduler.planning.planner import Planner


@dataclass(slots=True)
class Inquiry:
    """The question of one attempt: what it was asked, and what the ledger says."""

    planner: "Planner"
    asked: Asked
    loaded: Loaded
    ledger: Ledger
    desk: Desk

    def first_plan(self, template: Plan, *, held_for: float = math.inf) -> Computed | Result:
        """Compute; where no plan relieves a node of its first candidate, try the next one.

        Pods are held for so many seconds, which the candidates share: each gets half of what is left, the last one all.
        """
        ends = self.planner.tools.clock.monotonic() + held_for
        turns = [self.asked.relief, *self.asked.otherwise]
        while True:
            relief = turns.pop(0)
            left = ends - self.planner.tools.clock.monotonic()
            limit = min(self.loaded.policy.plan.time_limit, left / 2 if turns else left)
            computed = self._compute(template, limit, relief)
            if isinstance(computed, Result) or computed.plan is not None or self.desk.is_set():
                return computed
            if not turns or ends - self.planner.tools.clock.monotonic() < LEAST:
                return computed
            self.planner.learn(computed)

    def _compute(self, template: Plan, limit: float, relief: frozenset[str]) -> Computed | Result:
        tools = self.planner.tools
        try:
            seen = tools.sight.snapshot()
        except errors.ApiError as error:
            return Result(outcome=UNREADABLE, detail=str(error))
        missing = next((kind for kind in (kinds.PODS, kinds.NODES) if kind in seen.unreadable), None)
        if missing is not None:
            return Result(outcome=UNREADABLE, detail=f"{missing}: {seen.unreadable[missing]}")
        cluster, ledger = on_one_clock(seen, self.ledger)
        situation = Situation(
            cluster=cluster,
            policy=self.loaded.policy,
            observing=template.observing,
            records=ledger.records,
            own_namespace=tools.namespace,
        )
        question = Question(
            situation=situation,
            time_limit=limit,
            policy_hash=self.loaded.hash,
            solved=self.planner.solved,
            relief=relief,
            measured=self.asked.measured if self._fresh else NOTHING_MEASURED,
            resting=self.planner.succession.resting(self.loaded, cluster.now),
        )
        tools.metrics.pending.set(sum(pod.node is None and not pod.ended for pod in cluster.pods.values()))
        self.desk.solving(self.asked.trigger)
        try:
            return self.planner.computer.compute(question, template, self.desk)
        finally:
            self.desk.solving("")

    def plan_of(self, computed: Computed) -> Plan | Result:
        """Return the plan, or what came of an attempt that has none."""
        if self.desk.is_set():
            return Result(outcome=CANCELLED, computed=computed)
        if computed.refusal is not None:
            return Result(outcome=REFUSED, detail=str(computed.refusal), computed=computed)
        if computed.plan is None:
            return Result(outcome=computed.why_none, computed=computed)
        return computed.plan

    @property
    def _fresh(self) -> bool:
        """Whether what was measured may still be acted upon."""
        return self.planner.tools.clock.monotonic() <= good_until(self.asked, self.loaded.policy)


def good_until(asked: Asked, policy: Policy) -> float:
    """Return until when (monotonic seconds) what was measured for a request may be acted upon."""
    return asked.at + policy.signals.stale_after
