"""The disruptions of one plan, one at a time: check the step on fresh state, then the common way of an eviction.

The record, the budgets and the call are `descheduler.acting`'s; which step comes when is the plan's order.
"""

from dataclasses import replace
from typing import Final

from descheduler import acting
from descheduler.acting import Attempt, Hands, Orders
from descheduler.answers import AnswerKind
from descheduler.evictor import RecordingEvictor, still_runs
from descheduler.ledger import Ledger
from descheduler.observing import on_one_clock
from descheduler.planning.ending import Stay
from descheduler.planning.guarding import Guard, GuardedEvictor
from descheduler.planning.tooling import Tools
from policies.model.loading import Loaded
from policies.plans import validating
from policies.rails import readable
from policies.rails.situation import Situation
from policies.values.candidates import Candidate, Victim
from policies.values.clusters import Cluster
from policies.values.plans import Plan, PlanEntry
from policies.values.pods import Pod
from policies.values.refusals import Refusal, Scope
from sources.kube import errors

RULE: Final = "plan"
RELIEF: Final = "relief"
_PASSING_FOR: Final = 5.0
_GONE: Final = "gone"
_UNREAD: Final = frozenset({acting.LEDGER, readable.RAIL})


class Evictions:
    """Evicts for one plan; what was evicted before counts for the next step. An observed plan has no guard."""

    def __init__(self, tools: Tools, plan: Plan, loaded: Loaded, *, guard: Guard | None) -> None:
        self._tools = tools
        self._plan = plan
        self._loaded = loaded
        self._guard = guard
        self._steps = {step.uid: step for step in plan.disruptions}
        self._done: list[Victim] = []

    def evict(self, step: PlanEntry, pod: Pod | None) -> Stay | None:
        """Evict the pod of one step, as it was last seen; the reason where it is not certain that it goes."""
        tools = self._tools
        if pod is None:
            return Stay(word=_GONE, reason=f"{step} not evicted: it is gone")
        victim = victim_of(step, pod, rule=rule_of(self._plan))
        guarded = None if self._guard is None else GuardedEvictor(self._guard)
        orders = Orders(
            observing=self._guard is None,
            evictor=guarded or RecordingEvictor(tools.api),
            retry_for=0.0,  # a plan does not wait for a budget: its reservations would keep others waiting meanwhile
            passing_for=_PASSING_FOR,
            good_for=float("inf"),
            draft=lambda chosen: acting.draft_of(chosen, policy_hash=self._loaded.hash),
        )
        hands = Hands(
            keeper=tools.keeper,
            leads=tools.leads,
            stopping=tools.stopping,
            outdated=lambda: tools.policy().hash != self._loaded.hash,
            pause=tools.pause,
            clock=tools.clock,
            rng=tools.rng,
        )
        (attempt,) = acting.act([victim], orders=orders, hands=hands, revalidate=self._again)
        stay = None if guarded is None else guarded.stay
        if stay is not None:
            return Stay(word=stay.word, reason=f"{step} not evicted: {stay.reason}")
        return self._judged(step, attempt)

    def _judged(self, step: PlanEntry, attempt: Attempt) -> Stay | None:
        refusal, answer = attempt.refusal, attempt.answer
        if refusal is not None:
            passing = refusal.rail in _UNREAD and attempt.record is None
            return Stay(word=refusal.rail, reason=f"{step} not evicted: {refusal}", passing=passing)
        if answer is None or not attempt.happened:
            return Stay(word="eviction-refused", reason=f"{step} not evicted: {answer}")
        if answer.kind is AnswerKind.UNKNOWN and still_runs(self._tools.api, attempt.victim.candidate.pod) is not False:
            return Stay(word="eviction-unknown", reason=f"{step}: nobody can tell whether it was evicted: {answer}")
        self._done.append(attempt.victim)
        return None

    def _again(self, victim: Victim, *, ledger: Ledger, done: tuple[Victim, ...]) -> Victim | Refusal:  # noqa: ARG002  # this plan's own are kept here
        """Check the step on the cluster and the ledger of now."""
        try:
            fresh = self._tools.sight.fresh(victim)
        except errors.ApiError as error:
            return Refusal(readable.RAIL, f"the cluster could not be read again: {error}", Scope.CLUSTER)
        cluster, ledger = on_one_clock(fresh, ledger)
        refusal = validating.step_still_good(
            self._plan, self._steps[victim.candidate.pod.uid], self._situation(cluster, ledger)
        )
        pod = cluster.pods.get(victim.candidate.pod.uid)
        if refusal is not None or pod is None:
            return refusal or Refusal(_GONE, f"{victim.candidate.pod} is gone")
        return replace(victim, candidate=replace(victim.candidate, pod=pod))

    def _situation(self, cluster: Cluster, ledger: Ledger) -> Situation:
        return Situation(
            cluster=cluster,
            policy=self._loaded.policy,
            observing=self._guard is None,
            records=ledger.records,
            victims=tuple(self._done),
            own_namespace=self._tools.namespace,
        )


def victim_of(step: PlanEntry, pod: Pod, *, rule: str) -> Victim:
    """Return a step as the victim that acting knows."""
    candidate = Candidate(pod=pod, node=step.source or "", rule=rule, reason=step.reason, workload=step.workload)
    return Victim(candidate=candidate, destination=step.target)


def rule_of(plan: Plan) -> str:
    """Return the rule's name in records, logs and metrics."""
    return RELIEF if plan.trigger == RELIEF else RULE
