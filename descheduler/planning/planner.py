"""Attempts at plans, one after the other: whether one may be made, and what is told of it; when is the triggers'."""

import logging
from dataclasses import dataclass, field
from typing import Final

from descheduler import evictor
from descheduler.ledger import Ledger, LedgerUnreadable
from descheduler.planning import telling
from descheduler.planning.attempt import Attempt
from descheduler.planning.computing import Computed, Computer
from descheduler.planning.desk import RELIEF, Asked, Desk
from descheduler.planning.ending import Carried
from descheduler.planning.inquiring import Inquiry, good_until
from descheduler.planning.results import CANCELLED, OBSERVED, OUTDATED, STANDBY, UNREADABLE, UNWANTED, Result
from descheduler.planning.succession import Owed, Succession
from descheduler.planning.tooling import Tools
from policies.model.loading import Loaded
from policies.model.policy import Policy
from policies.plans.sameness import SolvedStates
from policies.values.plans import Plan
from policies.values.pods import Pod
from policies.values.records import EvictionRecord

_LOG: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class Planner:
    """Makes one attempt after the other. `current` is the plan that is being carried out, for readiness details."""

    tools: Tools
    computer: Computer
    current: Plan | None = field(default=None, init=False)
    solved: SolvedStates = field(default_factory=SolvedStates, init=False)
    succession: Succession = field(init=False)

    def __post_init__(self) -> None:
        """Begin without knowing of any plan."""
        self.succession = Succession(self.tools)

    def attempt(self, asked: Asked, loaded: Loaded, desk: Desk) -> Result:
        """Compute a plan and carry it out, as the policy says; the result says what came of it."""
        return self._noted(self._too_late(asked, loaded.policy) or self._attempt(asked, loaded, desk))

    def _attempt(self, asked: Asked, loaded: Loaded, desk: Desk) -> Result:
        observing = loaded.policy.eviction.mode == "observe"
        if not observing and not self.ready():
            return Result(outcome=STANDBY)
        ledger = self._ledger()
        if isinstance(ledger, LedgerUnreadable):
            return Result(outcome=UNREADABLE, detail=str(ledger))
        attempt = Attempt(Inquiry(self, asked, loaded, ledger, desk))
        return attempt.blocking() if loaded.policy.plan.blocking and not observing else attempt.plain()

    def _too_late(self, asked: Asked, policy: Policy) -> Result | None:
        """Say why a request that has waited is not wanted any more: by the policy of now, or because of its age."""
        if not (policy.plan.relief if asked.trigger == RELIEF else policy.plan.trigger != "off"):
            return Result(outcome=UNWANTED, detail=f"{asked.trigger} was asked for, and is switched off now")
        if asked.trigger == RELIEF and self.tools.clock.monotonic() > good_until(asked, policy):
            return Result(outcome=OUTDATED, detail="the nodes to relieve were measured too long ago")
        return None

    def ready(self) -> bool:
        """Tell whether this process leads and has closed what its predecessor, or a failure, left open."""
        return self.succession.ready()

    def finished(self, carried: Carried, loaded: Loaded) -> None:
        """Remember a plan's end, tell of it, and forget the oldest ones."""
        if not carried.written:
            self.succession.owe(Owed(plan=carried.plan, word=carried.end.word, counted=carried.ours))
        if carried.ours:
            self._tell(carried)
        self.succession.remember(carried.plan, loaded)

    def _tell(self, carried: Carried) -> None:
        tools, plan = self.tools, carried.plan
        tools.metrics.ended(plan, outcome=str(plan.phase), word=carried.end.word)
        tools.events.tell(telling.ended(plan, tools.namespace, carried.evicted))
        tools.reporter.write_plan(plan, outcome=str(plan.phase))

    def _ledger(self) -> Ledger | LedgerUnreadable:
        try:
            keeper = self.tools.keeper
            return keeper.settle(keeper.read(), runs=self._runs)
        except LedgerUnreadable as error:
            return error

    def _runs(self, record: EvictionRecord) -> bool | None:
        pod = Pod(namespace=record.namespace, name=record.pod, uid=record.pod_uid)
        return evictor.still_runs(self.tools.api, pod)

    def learn(self, computed: Computed, *, again: bool = False) -> None:
        """Count a solve, and remember its state unless it is to be solved again."""
        solution = computed.solution
        if solution is None:
            return
        self.tools.metrics.solves.labels(solution.solver, solution.proof).inc()
        self.tools.metrics.rejected.labels(solution.solver).inc(solution.counts.get("rejected", 0))
        self.tools.metrics.solve_seconds.observe(computed.seconds)
        if not again:
            self.solved = self.solved.after(computed.state, proven=computed.proven)

    def _noted(self, result: Result) -> Result:
        if result.computed is not None:
            # A plan that was found and not carried out may be tried again; an observed one would be found for ever.
            missed = result.computed.plan is not None and result.outcome != OBSERVED
            self.learn(result.computed, again=missed or result.outcome == CANCELLED)
        if result.plan is None:
            self.tools.metrics.skipped.labels(result.outcome).inc()
        words = f": {result.detail}" if result.detail else ""
        _LOG.log(logging.INFO if result.plan else logging.DEBUG, "plan attempt: %s%s", result.outcome, words)
        return result
