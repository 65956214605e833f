"""One attempt at a plan, from a trigger to the end: compute, show or install, carry out, tell; when is the triggers'.

A plan that is open while nobody carries it out is closed here first, never resumed.
"""

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from descheduler import evictor
from descheduler.ledger import Ledger, LedgerUnreadable
from descheduler.observing import on_one_clock
from descheduler.planning import telling
from descheduler.planning.carrying import Carried, Carrier, acknowledged, take
from descheduler.planning.computing import Computed, Computer, Question
from descheduler.planning.desk import RELIEF, Asked, Desk
from descheduler.planning.evicting import Evictions
from descheduler.planning.guarding import Guard, Stay
from descheduler.planning.problems.measured import NOTHING_MEASURED
from descheduler.planning.store import closed
from descheduler.planning.tooling import Tools
from descheduler.recording import SETTLES_AFTER
from policies.model.loading import Loaded
from policies.model.policy import Policy
from policies.plans import closing
from policies.plans.rails import Pair
from policies.plans.sameness import SolvedStates
from policies.rails.situation import Situation
from policies.values import kinds
from policies.values.clusters import Cluster
from policies.values.plans import Plan, PlanPhase
from policies.values.pods import Pod
from policies.values.records import EvictionRecord
from sources.kube import errors

_LOG: Final = logging.getLogger(__name__)
BLOCKED_FOR: Final = 2.0
_GATE_WITHIN: Final = 5.0
_POLL: Final = 0.25
# Words for what comes of an attempt that is no plan's end.
STANDBY: Final = "standby"
CANCELLED: Final = "cancelled"
BUSY: Final = "busy"
OBSERVED: Final = "observed"
UNREADABLE: Final = "unreadable"
REFUSED: Final = "refused"
UNWANTED: Final = "unwanted"
OUTDATED: Final = "outdated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of an attempt: one word, a sentence, the plan if there was one, and what was computed."""

    outcome: str
    detail: str = ""
    plan: Plan | None = None
    computed: Computed | None = None


@dataclass(slots=True)
class Planner:
    """Makes one attempt after the other. `current` is the plan that is being carried out, for readiness details."""

    tools: Tools
    computer: Computer
    current: Plan | None = field(default=None, init=False)
    _recent: tuple[Plan, ...] = field(default=(), init=False)
    _settled: bool = field(default=False, init=False)
    _doubtful_until: float = field(default=float("-inf"), init=False)
    _trouble: str = field(default="", init=False)
    solved: SolvedStates = field(default_factory=SolvedStates, init=False)

    def attempt(self, asked: Asked, loaded: Loaded, desk: Desk) -> Result:
        """Compute a plan and carry it out, as the policy says; the result says what came of it."""
        late = self._too_late(asked, loaded.policy)
        if late is not None:
            self._note(late)
            return late
        observing = loaded.policy.eviction.mode == "observe"
        if not observing and not self.ready():
            return Result(outcome=STANDBY)
        ledger = self._ledger()
        if isinstance(ledger, LedgerUnreadable):
            return Result(outcome=UNREADABLE, detail=str(ledger))
        attempt = _Attempt(self, asked, loaded, ledger, desk)
        result = attempt.blocking() if loaded.policy.plan.blocking and not observing else attempt.plain()
        self._note(result)
        return result

    def _too_late(self, asked: Asked, policy: Policy) -> Result | None:
        """Say why a request that has waited is not wanted any more: by the policy of now, or because of its age."""
        if not (policy.plan.relief if asked.trigger == RELIEF else policy.plan.trigger != "off"):
            return Result(outcome=UNWANTED, detail=f"{asked.trigger} was asked for, and is switched off now")
        if asked.trigger == RELIEF and self.tools.clock.monotonic() > good_until(asked, policy):
            return Result(outcome=OUTDATED, detail="the nodes to relieve were measured too long ago")
        return None

    def ready(self) -> bool:
        """Tell whether this process leads and has closed what its predecessor, or a failure, left open."""
        if not self.tools.leads():
            self._settled = False
            return False
        if self._settled:
            return True
        closed_all = self.close_open()
        self._settled = closed_all and self.tools.clock.monotonic() >= self._doubtful_until
        return closed_all

    def doubt(self, *, for_: float = 0.0) -> None:
        """Look for open plans before the next attempt, and before every one for so many seconds."""
        self._settled = False
        self._doubtful_until = self.tools.clock.monotonic() + for_

    def close_open(self) -> bool:
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

    def resting(self, loaded: Loaded, now: float) -> Mapping[Pair, float]:
        """Return the pairs that failed plans let rest."""
        return closing.resting(self._recent, loaded.policy, now=now)

    def finished(self, carried: Carried, loaded: Loaded) -> None:
        """Remember a plan's end, tell of it, and forget the oldest ones."""
        tools, plan = self.tools, carried.plan
        if not carried.written or carried.end.word == "slot":
            self.doubt()
        tools.metrics.ended(plan, outcome=str(plan.phase), word=carried.end.word)
        tools.events.tell(telling.ended(plan, tools.namespace, carried.evicted))
        tools.reporter.write_plan(plan, outcome=str(plan.phase))
        self.remember(plan, loaded)

    def remember(self, plan: Plan, loaded: Loaded) -> None:
        """Keep a finished plan, and delete those that concern nobody any more."""
        self._recent = (*self._recent, plan)
        old = closing.forgettable(self._recent, loaded.policy, now=self.tools.sight.now())
        gone = {each.uid for each in old if self.tools.store.delete(each)}
        self._recent = tuple(each for each in self._recent if each.uid not in gone)

    def _ledger(self) -> Ledger | LedgerUnreadable:
        try:
            keeper = self.tools.keeper
            return keeper.settle(keeper.read(), runs=self._runs)
        except LedgerUnreadable as error:
            return error

    def _runs(self, record: EvictionRecord) -> bool | None:
        pod = Pod(namespace=record.namespace, name=record.pod, uid=record.pod_uid)
        return evictor.still_runs(self.tools.api, pod)

    def _note(self, result: Result) -> None:
        computed = result.computed
        if computed is not None and computed.solution is not None:
            solution = computed.solution
            self.tools.metrics.solves.labels(solution.solver, solution.proof).inc()
            self.tools.metrics.rejected.labels(solution.solver).inc(solution.counts.get("rejected", 0))
            self.tools.metrics.solve_seconds.observe(computed.seconds)
            # A plan that was found and given up may be tried again; an observed one would be found for ever.
            if result.outcome != CANCELLED and (result.plan is None or result.outcome == OBSERVED):
                self.solved = self.solved.after(computed.state, proven=computed.proven)
        if result.plan is None:
            self.tools.metrics.skipped.labels(result.outcome).inc()
        words = f": {result.detail}" if result.detail else ""
        _LOG.log(logging.INFO if result.plan else logging.DEBUG, "plan attempt: %s%s", result.outcome, words)


@dataclass(slots=True)
class _Attempt:
    """One attempt, with what it was asked and what the ledger says."""

    planner: Planner
    asked: Asked
    loaded: Loaded
    ledger: Ledger
    desk: Desk

    def plain(self) -> Result:
        """Compute beside everything that goes on; what the world has overtaken is dropped by the validation."""
        template = self._template(revision=1, phase=PlanPhase.INSTALLING)
        computed = self._compute(template, self.loaded.policy.plan.time_limit)
        if isinstance(computed, Result):
            return computed
        result = self._without_plan(computed)
        if result is not None or computed.plan is None:
            return result or Result(outcome=computed.why_none, computed=computed)
        return self._observe(computed) if computed.plan.observing else self._install(computed.plan, computed)

    def blocking(self) -> Result:
        """Hold every pod in scope while the plan is computed, for at most two seconds."""
        tools = self.planner.tools
        self._let_replicas_show()
        if not self._enter("a blocking run"):
            return Result(outcome=BUSY, detail="a cycle is evicting")
        try:
            empty = tools.store.create(self._template(revision=0, phase=PlanPhase.COMPUTING))
        except errors.ApiError as error:
            tools.gate.leave()
            self.planner.doubt(for_=SETTLES_AFTER)  # it may still come to exist
            return Result(outcome=UNREADABLE, detail=f"the plan could not be created: {error}")
        self.planner.doubt()  # until it is over for certain: should this fail, the plan stays open
        try:
            result = self._blocked(empty)
        finally:
            tools.slot.free()
            tools.gate.leave()
        return result

    def _blocked(self, empty: Plan) -> Result:
        tools = self.planner.tools
        guard = self._guard(empty)
        stay = take(tools, empty) or acknowledged(tools, guard, empty.version)
        if stay is not None:
            return self._dropped(empty, stay)
        computed = self._compute(empty, min(BLOCKED_FOR, self.loaded.policy.plan.time_limit))
        result = computed if isinstance(computed, Result) else self._without_plan(computed)
        if result is not None or isinstance(computed, Result) or computed.plan is None:
            tools.store.delete(empty)
            return result or Result(outcome=REFUSED)
        try:
            filled = tools.store.fill(replace(computed.plan, revision=1, phase=PlanPhase.INSTALLING))
        except errors.ApiError as error:
            return self._dropped(empty, Stay(word="plan", reason=f"the plan could not be written: {error}"))
        return self._carry(filled, computed)

    # ------------------------------------------------------------------ compute

    def _compute(self, template: Plan, limit: float) -> Computed | Result:
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
            relief=self.asked.relief,
            measured=self.asked.measured if self._fresh else NOTHING_MEASURED,
            resting=self.planner.resting(self.loaded, cluster.now),
        )
        tools.metrics.pending.set(sum(pod.node is None and not pod.ended for pod in cluster.pods.values()))
        self.desk.solving(self.asked.trigger)
        try:
            return self.planner.computer.compute(question, template, self.desk)
        finally:
            self.desk.solving("")

    def _without_plan(self, computed: Computed) -> Result | None:
        if self.desk.is_set():
            return Result(outcome=CANCELLED, computed=computed)
        if computed.refusal is not None:
            return Result(outcome=REFUSED, detail=str(computed.refusal), computed=computed)
        if computed.plan is None:
            return Result(outcome=computed.why_none, computed=computed)
        return None

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

    def _observe(self, computed: Computed) -> Result:
        """Show what would be done: a plan that is no plan for anybody, and the records of observed evictions."""
        tools, plan = self.planner.tools, computed.plan
        if plan is None:
            return Result(outcome=computed.why_none, computed=computed)
        plan = closed(plan, PlanPhase.COMPLETED, "observed, not carried out", at=tools.sight.now())
        if tools.leads():
            try:
                plan = tools.store.create(plan)
                self.planner.remember(plan, self.loaded)
                tools.reporter.write_plan(plan, outcome=OBSERVED)
            except errors.ApiError as error:
                _LOG.warning("the observed plan %s was not written: %s", plan.name, error)
        seen = tools.sight.snapshot()
        evictions = Evictions(tools, plan, self.loaded, guard=None)
        for step in plan.disruptions:
            stay = evictions.evict(step, seen.pods.get(step.uid))
            if stay is not None:
                _LOG.info("observed plan %s: %s", plan.name, stay.reason)
        tools.events.tell(telling.begun(plan, tools.namespace))
        tools.metrics.plans.labels(plan.trigger, OBSERVED).inc()
        return Result(outcome=OBSERVED, plan=plan, computed=computed)

    def _install(self, plan: Plan, computed: Computed) -> Result:
        tools = self.planner.tools
        self._let_replicas_show()
        if not self._enter(plan.name):
            return Result(outcome=BUSY, detail="a cycle is evicting", computed=computed)
        try:
            if not tools.leads():
                return Result(outcome=STANDBY, computed=computed)
            try:
                created = tools.store.create(plan)
            except errors.ApiError as error:
                self.planner.doubt(for_=SETTLES_AFTER)  # it may still come to exist
                return Result(outcome=UNREADABLE, detail=f"the plan could not be created: {error}", computed=computed)
            return self._carry(created, computed)
        finally:
            tools.gate.leave()

    def _carry(self, plan: Plan, computed: Computed) -> Result:
        planner, tools = self.planner, self.planner.tools
        planner.current = plan
        tools.events.tell(telling.begun(plan, tools.namespace))
        resting = planner.resting(self.loaded, tools.sight.now())
        try:
            carried = Carrier(self._guard(plan), self.loaded, resting=resting).run()
        finally:
            planner.current = None
        planner.finished(carried, self.loaded)
        return Result(outcome=str(carried.end.phase), detail=carried.end.reason, plan=carried.plan, computed=computed)

    def _dropped(self, empty: Plan, stay: Stay) -> Result:
        """Close a plan that nobody ever obeyed."""
        tools = self.planner.tools
        ended = closed(empty, PlanPhase.ABORTED, stay.reason, at=tools.sight.now())
        tools.store.write(ended)
        tools.metrics.ended(ended, outcome=str(ended.phase), word=stay.word)
        return Result(outcome=str(ended.phase), detail=stay.reason, plan=ended)

    @property
    def _fresh(self) -> bool:
        """Whether what was measured may still be acted upon."""
        return self.planner.tools.clock.monotonic() <= good_until(self.asked, self.loaded.policy)

    def _guard(self, plan: Plan) -> Guard:
        """Return who watches over a plan: only where nodes are relieved does it rest on what was measured."""
        until = good_until(self.asked, self.loaded.policy) if self.asked.trigger == RELIEF else math.inf
        return Guard(self.planner.tools, plan, self.loaded.hash, good_until=until)

    def _let_replicas_show(self) -> None:
        """Wait until a Lease that never changes while we watch is known for that of a dead replica."""
        tools = self.planner.tools
        while tools.replicas.look() is None and tools.replicas.unsure():
            if tools.pause(_POLL):
                return

    def _enter(self, name: str) -> bool:
        """Wait a little for a cycle that is evicting."""
        tools = self.planner.tools
        ends = tools.clock.monotonic() + _GATE_WITHIN
        while not tools.gate.enter(name):
            if tools.clock.monotonic() >= ends or tools.pause(_POLL):
                return False
        return True


def good_until(asked: Asked, policy: Policy) -> float:
    """Return until when (monotonic seconds) what was measured for a request may be acted upon."""
    return asked.at + policy.signals.stale_after
