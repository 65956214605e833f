"""One plan's way from its installation to its end: install, validate, evict, wait, realise; the order and the waiting.

What is right is asked of `policies.plans` and the guard; evictions go through `descheduler.acting`. However it ends,
the plan is closed, the slot freed and single evictions go on.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from descheduler.ledger import LedgerUnreadable
from descheduler.planning import evicting
from descheduler.planning.guarding import Guard, Stay
from descheduler.planning.nominating import Nominator
from descheduler.planning.slot import SlotTaken
from descheduler.planning.store import closed
from descheduler.planning.tooling import Tools
from policies.model.loading import Loaded
from policies.plans import converging, validating
from policies.plans.converging import Progress
from policies.plans.rails import Pair
from policies.rails.situation import Situation
from policies.values.clusters import Cluster
from policies.values.plans import Plan, PlanCondition, PlanEntry, PlanPhase
from policies.values.records import EvictionRecord
from sources.kube import errors
from sources.kube.decoding.tolerant import MalformedObject

_LOG: Final = logging.getLogger(__name__)
POLL: Final = 0.25
ACKNOWLEDGED_WITHIN: Final = 5.0
APPROVALS_IN_FLIGHT: Final = 1.0
_READ_PLAN_EVERY: Final = 1.0
_SEEN_WITHIN: Final = 2.0
_NEWCOMERS: Final = 3.0  # a replica renews its Lease every 2 s


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a plan ends. `word` is the reason in one word, empty for a completed plan."""

    phase: PlanPhase
    word: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A plan at its end, how it came to it, the pods that were evicted for it, and whether the end is written."""

    plan: Plan
    end: End
    evicted: tuple[PlanEntry, ...] = ()
    written: bool = True


class Carrier:
    """Carries out one plan, whose object exists. The gate has been entered for it."""

    def __init__(self, guard: Guard, loaded: Loaded, *, resting: Mapping[Pair, float] | None = None) -> None:
        self._tools = tools = guard.tools
        self._plan = plan = guard.plan
        self._loaded = loaded
        self._resting = resting
        self._guard = guard
        self._nominator = Nominator(tools.api, plan)
        self._evicted_at: dict[str, float] = {}
        self._validated_at = 0.0
        self._validated: Cluster | None = None
        self._read_at = 0.0

    def run(self) -> Carried:
        """Carry the plan out and return how it ended; a plan that breaks down in between is closed as well."""
        end = End(phase=PlanPhase.ABORTED, word="failed", reason="the descheduler failed while it carried out the plan")
        try:
            end = self._stages()
        finally:
            written = self._close(end)
        evicted = tuple(step for step in self._plan.disruptions if step.uid in self._evicted_at)
        return Carried(plan=self._plan, end=end, evicted=evicted, written=written)

    def _stages(self) -> End:
        stages: tuple[Callable[[], End | None], ...] = (
            self._install, self._let_approvals_land, self._validate, self._evict, self._wait_until_gone,
        )  # fmt: skip
        for stage in stages:
            end = stage()
            if end is not None:
                return end
        return self._realise()

    # ------------------------------------------------------------------ install

    def _install(self) -> End | None:
        """Take the slot and wait until every live replica of the extender obeys the plan."""
        refused = take(self._tools, self._plan)
        if refused is not None:
            return _aborted(refused)
        stay = acknowledged(self._tools, self._guard, self._plan.version)
        if stay is not None:
            self._mark("Installed", met=False, word=stay.word, message=stay.reason)
            return _aborted(stay)
        self._mark("Installed", met=True, word="Acknowledged", message="every live replica of the extender shows it")
        return None

    def _let_approvals_land(self) -> End | None:
        """Wait for pods that were approved before the replicas knew of the plan."""
        self._tools.pause(APPROVALS_IN_FLIGHT)
        return None

    def _validate(self) -> End | None:
        """Look at the whole cluster as it is now, which is newer than every acknowledgement."""
        stay = self._guard.going() or self._guard.wanted() or self._invalid()
        self._mark(
            "Validated", met=stay is None, word=stay.word if stay else "Valid", message=stay.reason if stay else ""
        )
        self._validated_at = self._tools.clock.monotonic()
        return None if stay is None else _aborted(stay)

    def _invalid(self) -> Stay | None:
        try:
            cluster = self._tools.sight.consistent()
            ledger = self._tools.keeper.read()
        except (errors.ApiError, LedgerUnreadable) as error:
            return Stay(word="unreadable", reason=f"the cluster could not be read again: {error}")
        self._validated = cluster
        refusal = validating.invalid(self._plan, self._situation(cluster, ledger.records), resting=self._resting)
        return None if refusal is None else Stay(word=refusal.rail, reason=f"not valid any more: {refusal}")

    def _situation(self, cluster: Cluster, records: tuple[EvictionRecord, ...]) -> Situation:
        return Situation(
            cluster=cluster,
            policy=self._loaded.policy,
            observing=False,
            records=records,
            own_namespace=self._tools.namespace,
        )

    # ------------------------------------------------------------------ evict

    def _evict(self) -> End | None:
        """Evict one pod after the other, and stop at the first that fails or is bypassed."""
        steps = self._plan.disruptions
        if not steps:
            return None
        self._enter(PlanPhase.EVICTING)
        evictions = evicting.Evictions(self._tools, self._plan, self._loaded, guard=self._guard)
        for step in steps:
            self._let_newcomers_renew()
            cluster = self._tools.sight.snapshot()
            stay = _overtaken(self._progress(cluster)) or evictions.evict(step, cluster.pods.get(step.uid))
            if stay is not None:
                self._mark("Evicted", met=False, word=stay.word, message=stay.reason)
                return _aborted(stay)
            self._evicted_at[step.uid] = self._tools.clock.monotonic()
            self._tools.metrics.evicted(step.action)
            progress = self._until_seen(step)
            self._show(progress)
            stay = self._silent_sight(step) if step in progress.standing and step is not steps[-1] else None
            if stay is not None:
                return _aborted(stay)
        return None

    def _let_newcomers_renew(self) -> None:
        """Wait until a replica that has just started renews its Lease: one that stands still proves nothing."""
        ends = self._tools.clock.monotonic() + _NEWCOMERS
        while self._tools.replicas.unsure() and self._tools.clock.monotonic() < ends:
            self._tools.pause(POLL)
            self._tools.replicas.look()

    def _until_seen(self, step: PlanEntry) -> Progress:
        """Wait until the eviction shows, so that the next step does not count its pod as standing."""
        ends = self._tools.clock.monotonic() + _SEEN_WITHIN
        while True:
            progress = self._progress(self._tools.sight.snapshot())
            late = self._tools.clock.monotonic() >= ends
            if late or step not in progress.standing or self._tools.pause(POLL / 5):
                return progress

    def _silent_sight(self, step: PlanEntry) -> Stay | None:
        """Say why the next eviction must not rest on what we see: the last one has happened, and does not show.

        One that goes on in the background (a virtual machine's) shows in no list either.
        """
        try:
            happened = step not in self._progress(self._tools.sight.consistent()).standing
        except errors.ApiError as error:
            return Stay(word="unreadable", reason=f"the cluster could not be read again: {error}")
        text = f"the watch of pods does not show the eviction of {step} after {_SEEN_WITHIN:.0f} s"
        return Stay(word="unreadable", reason=text) if happened else None

    def _wait_until_gone(self) -> End | None:
        """Wait until every victim is gone."""
        while self._evicted_at:
            progress = self._progress(self._tools.sight.snapshot())
            self._show(progress)
            if not progress.standing and not progress.ending:
                self._mark("Evicted", met=True, word="Gone", message="every victim is gone")
                break
            late = f"still terminating: {', '.join(map(str, (*progress.standing, *progress.ending)))}"
            end = self._kept_from_going_on(progress, late)
            if end is not None:
                return end
            self._tools.pause(POLL)
        return None

    # ------------------------------------------------------------------ realise

    def _realise(self) -> End:
        """Wait until all wanted pods are bound."""
        self._enter(PlanPhase.REALISING)
        while True:
            cluster = self._tools.sight.snapshot()
            progress = self._progress(cluster)
            self._show(progress)
            if progress.done:
                self._mark("Realised", met=True, word="Bound", message="every wanted pod is bound")
                return End(phase=PlanPhase.COMPLETED, reason="every wanted pod is bound")
            if self._loaded.policy.plan.nominate:
                self._nominator.nominate(cluster)
            end = self._kept_from_going_on(progress, f"not in time: {progress.missing}")
            if end is not None:
                return end
            self._tools.pause(POLL)

    def _progress(self, cluster: Cluster) -> Progress:
        return converging.progress(self._plan, cluster, before=self._validated)

    def _kept_from_going_on(self, progress: Progress, late: str) -> End | None:
        """Return the end that a plan comes to while it waits: overtaken, told to stop, or out of time."""
        stay = _overtaken(progress) or self._told_to_stop()
        if stay is not None:
            return _aborted(stay)
        ends = converging.deadline(
            self._plan,
            self._evicted_at,
            since=self._validated_at,
            realise_within=self._loaded.policy.plan.realise_within,
        )
        if self._tools.clock.monotonic() < ends:
            return None
        return End(phase=PlanPhase.TIMED_OUT, word="timed-out", reason=late)

    def _told_to_stop(self) -> Stay | None:
        """Read the plan once a second, which is how a person is heard; a policy that changed lets it end in peace."""
        tools = self._tools
        if tools.stopping():
            return Stay(word="stopping", reason="the descheduler is ending")
        if not tools.leads():
            return Stay(word="lease", reason="this process does not hold the lease")
        if tools.slot.held is None:
            return Stay(word="slot", reason="the slot was taken away")
        if tools.clock.monotonic() - self._read_at < _READ_PLAN_EVERY:
            return None
        self._read_at = tools.clock.monotonic()
        stay = self._guard.wanted()
        # An API server that does not answer for a moment ends no plan: the deadline does.
        return None if stay is None or stay.word == "unreadable" else stay

    # ------------------------------------------------------------------ what is written on the way

    def _enter(self, phase: PlanPhase) -> None:
        self._plan = replace(self._plan, phase=phase)
        self._tools.store.progress(self._plan)

    def _show(self, progress: Progress) -> None:
        self._plan = replace(self._plan, progress=progress.counts)
        self._tools.store.progress(self._plan)

    def _mark(self, kind: str, *, met: bool, word: str, message: str) -> None:
        condition = PlanCondition(kind=kind, met=met, reason=word, message=message, at=self._tools.sight.now())
        others = tuple(one for one in self._plan.conditions if one.kind != kind)
        self._plan = replace(self._plan, conditions=(*others, condition))

    def _close(self, end: End) -> bool:
        """Write the end and free the slot: either alone makes the extender release everything."""
        self._plan = closed(self._plan, end.phase, end.reason, at=self._tools.sight.now())
        written = (self._tools.leads() or self._still_open()) and self._tools.store.write(self._plan)
        freed = self._tools.slot.free()
        _LOG.info("plan %s: %s %s", self._plan.name, end.phase, end.reason)
        return written and freed

    def _still_open(self) -> bool:
        """Tell whether nobody has closed the plan: the next leader, if there is one already, may not know of it."""
        try:
            seen = self._tools.store.read(self._plan.name)
        except (errors.ApiError, MalformedObject):
            return False
        return seen is not None and not seen.phase.ended


def take(tools: Tools, plan: Plan) -> Stay | None:
    """Put a plan into the slot; the reason where that failed."""
    try:
        tools.slot.take(plan)
    except SlotTaken as taken:
        return Stay(word="slot", reason=str(taken))
    except errors.ApiError as error:
        return Stay(word="slot", reason=f"the slot could not be taken: {error}")
    return None


def acknowledged(tools: Tools, guard: Guard, version: str) -> Stay | None:
    """Wait until every live replica shows a version; why not, where one does not within 5 s."""
    ends = tools.clock.monotonic() + ACKNOWLEDGED_WITHIN
    while True:
        lacking = tools.replicas.look() or tools.replicas.lacking(version)
        stay = guard.going()
        if stay is not None or lacking is None:
            return stay
        if tools.clock.monotonic() >= ends:
            return Stay(
                word="not-acknowledged", reason=f"not acknowledged within {ACKNOWLEDGED_WITHIN:.0f} s: {lacking}"
            )
        tools.pause(POLL / 2)


def _aborted(stay: Stay) -> End:
    return End(phase=PlanPhase.ABORTED, word=stay.word, reason=stay.reason)


def _overtaken(progress: Progress) -> Stay | None:
    return None if progress.abort is None else Stay(word="overtaken", reason=progress.abort)
