"""One attempt at a plan, blocking or beside everything else: compute, then show, or install and carry out."""

import logging
import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from descheduler.ledger import Ledger
from descheduler.observing import on_one_clock
from descheduler.planning import installing, telling
from descheduler.planning.carrying import Carrier
from descheduler.planning.computing import LEAST, Computed, Question
from descheduler.planning.desk import RELIEF, Asked, Desk
from descheduler.planning.ending import Carried, Stay, aborted
from descheduler.planning.evicting import Evictions
from descheduler.planning.guarding import Guard
from descheduler.planning.problems.measured import NOTHING_MEASURED
from descheduler.planning.results import BUSY, CANCELLED, OBSERVED, REFUSED, STANDBY, UNREADABLE, Result
from descheduler.planning.store import closed
from descheduler.planning.succession import Owed
from descheduler.recording import SETTLES_AFTER
from policies.model.loading import Loaded
from policies.model.policy import Policy
from policies.rails.situation import Situation
from policies.values import kinds
from policies.values.plans import Plan, PlanPhase
from sources.kube import errors

if TYPE_CHECKING:
    from descheduler.planning.planner import Planner

_LOG: Final = logging.getLogger(__name__)
BLOCKED_FOR: Final = 2.0


@dataclass(slots=True)
class Attempt:
    """One attempt, with what it was asked and what the ledger says."""

    planner: "Planner"
    asked: Asked
    loaded: Loaded
    ledger: Ledger
    desk: Desk

    def plain(self) -> Result:
        """Compute beside everything that goes on; what the world has overtaken is dropped by the validation."""
        template = self._template(revision=1, phase=PlanPhase.INSTALLING)
        computed = self._first_plan(template)
        if isinstance(computed, Result):
            return computed
        plan = self._plan_of(computed)
        if isinstance(plan, Result):
            return plan
        return self._observe(plan, computed) if plan.observing else self._install(plan, computed)

    def blocking(self) -> Result:
        """Hold every pod in scope while the plan is computed, for at most two seconds."""
        tools = self.planner.tools
        installing.let_replicas_show(tools)
        if not installing.enter(tools, "a blocking run"):
            return Result(outcome=BUSY, detail="a cycle is evicting")
        try:
            return self._holding(self._template(revision=0, phase=PlanPhase.COMPUTING))
        finally:
            tools.gate.leave()

    def _holding(self, template: Plan) -> Result:
        tools = self.planner.tools
        if not tools.leads():
            return Result(outcome=STANDBY)
        try:
            empty = tools.store.create(template)
        except errors.ApiError as error:
            return self._lost(template, error)
        self.planner.succession.doubt()  # until it is over for certain: should this fail, the plan stays open
        try:
            return self._blocked(empty)
        finally:
            tools.slot.free()

    def _blocked(self, empty: Plan) -> Result:
        tools = self.planner.tools
        guard = self._guard(empty)
        stay = installing.install(guard)
        if stay is not None:
            return self._dropped(empty, stay)
        computed = self._first_plan(empty, held_for=BLOCKED_FOR)
        if isinstance(computed, Result):
            self._forget(empty)
            return computed
        plan = self._plan_of(computed)
        if isinstance(plan, Result):
            self._forget(empty)
            return plan
        stay = guard.meant()
        if stay is not None and not stay.passing:
            return self._dropped(empty, stay)
        try:
            filled = tools.store.fill(replace(plan, revision=1, phase=PlanPhase.INSTALLING))
        except errors.ApiError as error:
            return self._dropped(empty, Stay(word="plan", reason=f"the plan could not be written: {error}"))
        return self._carry(filled, computed)

    # ------------------------------------------------------------------ compute

    def _first_plan(self, template: Plan, *, held_for: float = math.inf) -> Computed | Result:
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

    def _plan_of(self, computed: Computed) -> Plan | Result:
        """Return the plan, or what came of an attempt that has none."""
        if self.desk.is_set():
            return Result(outcome=CANCELLED, computed=computed)
        if computed.refusal is not None:
            return Result(outcome=REFUSED, detail=str(computed.refusal), computed=computed)
        if computed.plan is None:
            return Result(outcome=computed.why_none, computed=computed)
        return computed.plan

    def _template(self, *, revision: int, phase: PlanPhase) -> Plan:
        tools, section = self.planner.tools, self.loaded.policy.plan
        at = tools.sight.now()
        stamp = datetime.fromtimestamp(at, UTC).strftime("%Y%m%d-%H%M%S")
        return Plan(
            name=f"plan-{stamp}-{tools.rng.randrange(16**4):04x}",
            revision=revision,
            phase=phase,
            trigger=self.asked.trigger,
            hold=section.hold,
            blocking=section.blocking,
            observing=self.loaded.policy.eviction.mode == "observe",
            writer=tools.slot.holder,
            policy_hash=self.loaded.hash,
            started_at=at,
        )

    # ------------------------------------------------------------------ show, or carry out

    def _observe(self, found: Plan, computed: Computed) -> Result:
        """Show what would be done: a plan that is no plan for anybody, and the records of observed evictions."""
        tools = self.planner.tools
        plan = closed(found, PlanPhase.COMPLETED, "observed, not carried out", at=tools.sight.now())
        if tools.leads():
            try:
                plan = tools.store.create(plan)
                self.planner.succession.remember(plan, self.loaded)
                tools.reporter.write_plan(plan, outcome=OBSERVED)
            except errors.ApiError as error:
                _LOG.warning("the observed plan %s was not written: %s", plan.name, error)
        seen = tools.sight.snapshot()
        evictions = Evictions(tools, plan, self.loaded, guard=None)
        for step in plan.disruptions:
            stay = evictions.evict(step, seen.pods.get(step.uid))
            if stay is not None:
                _LOG.info("observed plan %s: %s", plan.name, stay.reason)
        telling.log(plan)
        tools.events.tell(telling.begun(plan, tools.namespace))
        tools.metrics.plans.labels(plan.trigger, OBSERVED).inc()
        return Result(outcome=OBSERVED, plan=plan, computed=computed)

    def _install(self, plan: Plan, computed: Computed) -> Result:
        tools = self.planner.tools
        installing.let_replicas_show(tools)
        if not installing.enter(tools, plan.name):
            return Result(outcome=BUSY, detail="a cycle is evicting", computed=computed)
        try:
            if not tools.leads():
                return Result(outcome=STANDBY, computed=computed)
            try:
                created = tools.store.create(plan)
            except errors.ApiError as error:
                return replace(self._lost(plan, error), computed=computed)
            return self._carry(created, computed)
        finally:
            tools.gate.leave()

    def _carry(self, plan: Plan, computed: Computed) -> Result:
        planner, tools = self.planner, self.planner.tools
        planner.current = plan
        telling.log(plan)
        tools.events.tell(telling.begun(plan, tools.namespace))
        resting = planner.succession.resting(self.loaded, tools.sight.now())
        planner.succession.doubt()  # should this break down, the plan may stay open
        carrier = Carrier(self._guard(plan), self.loaded, resting=resting)
        try:
            carrier.run()
        finally:
            planner.current = None
            planner.finished(carrier.carried, self.loaded)
        carried = carrier.carried
        return Result(outcome=str(carried.end.phase), detail=carried.end.reason, plan=carried.plan, computed=computed)

    def _dropped(self, empty: Plan, stay: Stay) -> Result:
        """Close a plan that nobody ever obeyed."""
        tools = self.planner.tools
        ended = closed(empty, PlanPhase.ABORTED, stay.reason, at=tools.sight.now())
        found = tools.store.close(ended)
        carried = Carried(
            plan=found or ended,
            end=aborted(stay),
            written=found is not None,
            ours=found is ended or tools.leads(),
        )
        self.planner.finished(carried, self.loaded)
        return Result(outcome=str(carried.plan.phase), detail=stay.reason, plan=carried.plan)

    def _forget(self, empty: Plan) -> None:
        """Delete a plan that held pods for nothing."""
        tools = self.planner.tools
        if not tools.store.delete(empty):
            ended = closed(empty, PlanPhase.ABORTED, "nothing better was found", at=tools.sight.now())
            self.planner.succession.owe(Owed(plan=ended, word="", counted=True))

    def _lost(self, plan: Plan, error: errors.ApiError) -> Result:
        """Say that a plan could not be created; it may still come to exist, and is to say then why it ended."""
        detail = f"the plan could not be created: {error}"
        ended = closed(plan, PlanPhase.ABORTED, detail, at=self.planner.tools.sight.now())
        self.planner.succession.owe(Owed(plan=ended, word="unconfirmed"), for_=SETTLES_AFTER)
        return Result(outcome=UNREADABLE, detail=detail)

    @property
    def _fresh(self) -> bool:
        """Whether what was measured may still be acted upon."""
        return self.planner.tools.clock.monotonic() <= good_until(self.asked, self.loaded.policy)

    def _guard(self, plan: Plan) -> Guard:
        """Return who watches over a plan: only where nodes are relieved does it rest on what was measured."""
        until = good_until(self.asked, self.loaded.policy) if self.asked.trigger == RELIEF else math.inf
        return Guard(self.planner.tools, plan, self.loaded.hash, good_until=until)


def good_until(asked: Asked, policy: Policy) -> float:
    """Return until when (monotonic seconds) what was measured for a request may be acted upon."""
    return asked.at + policy.signals.stale_after
