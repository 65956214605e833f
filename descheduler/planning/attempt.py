"""One attempt at a plan, blocking or beside everything else: what is found is shown, or installed and carried out."""

import logging
import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from descheduler.planning import installing, telling
from descheduler.planning.carrying import Carrier
from descheduler.planning.computing import Computed
from descheduler.planning.desk import RELIEF, Asked
from descheduler.planning.ending import Carried, Stay, aborted
from descheduler.planning.evicting import Evictions
from descheduler.planning.guarding import Guard
from descheduler.planning.inquiring import Inquiry, good_until
from descheduler.planning.results import BUSY, OBSERVED, STANDBY, UNREADABLE, Result
from descheduler.planning.store import closed
from descheduler.planning.succession import Owed
from descheduler.recording import SETTLES_AFTER
from policies.model.loading import Loaded
from policies.values.plans import Plan, PlanPhase
from sources.kube import errors

if TYPE_CHECKING:
    from descheduler.planning.planner import Planner

_LOG: Final = logging.getLogger(__name__)
BLOCKED_FOR: Final = 2.0


@dataclass(slots=True)
class Attempt:
    """One attempt, with what is asked in it."""

    inquiry: Inquiry

    @property
    def planner(self) -> "Planner":
        """Whose attempt it is."""
        return self.inquiry.planner

    @property
    def asked(self) -> Asked:
        """What a plan was asked for."""
        return self.inquiry.asked

    @property
    def loaded(self) -> Loaded:
        """The policy that it is made under."""
        return self.inquiry.loaded

    def plain(self) -> Result:
        """Compute beside everything that goes on; what the world has overtaken is dropped by the validation."""
        template = self._template(revision=1, phase=PlanPhase.INSTALLING)
        computed = self.inquiry.first_plan(template)
        if isinstance(computed, Result):
            return computed
        plan = self.inquiry.plan_of(computed)
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
        computed = self.inquiry.first_plan(empty, held_for=BLOCKED_FOR)
        if isinstance(computed, Result):
            self._forget(empty)
            return computed
        plan = self.inquiry.plan_of(computed)
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

    def _guard(self, plan: Plan) -> Guard:
        """Return who watches over a plan: only where nodes are relieved does it rest on what was measured."""
        until = good_until(self.asked, self.loaded.policy) if self.asked.trigger == RELIEF else math.inf
        return Guard(self.planner.tools, plan, self.loaded.hash, good_until=until)
