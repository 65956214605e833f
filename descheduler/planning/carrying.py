"""One plan's way from its installation to its end: install, validate, evict, wait, realise, in this order.

What is right is asked of `policies.plans` and the guard; evictions go through `descheduler.acting`. However it ends,
the plan is closed and the slot freed.
"""

from collections.abc import Callable, Mapping
from typing import Final

from descheduler.ledger import LedgerUnreadable
from descheduler.planning.ending import FAILED, Carried, End, Stay, aborted
from descheduler.planning.guarding import Guard, patiently
from descheduler.planning.installing import install
from descheduler.planning.journal import Journal
from descheduler.planning.nominating import Nominator
from descheduler.planning.stepping import Steps
from descheduler.planning.waiting import Watch
from policies.model.loading import Loaded
from policies.plans import validating
from policies.plans.rails import Pair
from policies.rails import readable
from policies.rails.situation import Situation
from policies.values.clusters import Cluster
from policies.values.plans import PlanPhase
from policies.values.records import EvictionRecord
from sources.kube import errors

POLL: Final = 0.25
APPROVALS_IN_FLIGHT: Final = 1.0
_TRIES: Final = 4
_UNSEEN: Final = Stay(word="plan", reason="the phase could not be written, so nobody would know of the evictions")
_BOUND: Final = "every wanted pod is bound"


class Carrier:
    """Carries out one plan, whose object exists. The gate has been entered for it."""

    def __init__(self, guard: Guard, loaded: Loaded, *, resting: Mapping[Pair, float] | None = None) -> None:
        self._tools = guard.tools
        self._loaded = loaded
        self._resting = resting
        self._guard = guard
        self._journal = Journal(guard.tools, guard.plan)
        self._watch = Watch(guard, loaded, guard.tools.sight.snapshot)
        self._nominator = Nominator(guard.tools.api, guard.plan)
        self._end = FAILED

    def run(self) -> Carried:
        """Carry the plan out and return how it ended; a plan that breaks down in between is closed as well."""
        try:
            with self._tools.sight.following(self._guard.plan) as self._watch.surroundings:
                self._end = self._stages()
        finally:
            self._journal.close(self._end)
        return self.carried

    @property
    def carried(self) -> Carried:
        """Return how it ended."""
        journal = self._journal
        evicted = tuple(step for step in journal.plan.disruptions if step.uid in self._watch.evicted_at)
        return Carried(plan=journal.plan, end=self._end, evicted=evicted, written=journal.written, ours=journal.ours)

    def _stages(self) -> End:
        stages: tuple[Callable[[], End | None], ...] = (self._install, self._validate, self._evict, self._let_them_go)
        for stage in stages:
            end = stage()
            if end is not None:
                return end
        return self._realise()

    def _install(self) -> End | None:
        stay = install(self._guard)
        if stay is not None:
            self._journal.unmet("Installed", stay)
            return aborted(stay)
        self._journal.met("Installed", "Acknowledged", "every live replica of the extender shows it")
        self._tools.pause(APPROVALS_IN_FLIGHT)  # for pods that were approved before the replicas knew of the plan
        return None

    def _validate(self) -> End | None:
        """Look at the whole cluster as it is now, which is newer than every acknowledgement."""
        stay = patiently(self._tools, lambda: self._guard.going() or self._guard.meant() or self._invalid())
        self._watch.since = self._tools.clock.monotonic()
        if stay is not None:
            self._journal.unmet("Validated", stay)
            return aborted(stay)
        self._journal.met("Validated", "Valid", "it holds on the cluster as it is now")
        return None

    def _invalid(self) -> Stay | None:
        try:
            cluster = self._tools.sight.consistent()
            ledger = self._tools.keeper.read()
        except (errors.ApiError, LedgerUnreadable) as error:
            return Stay(word="unreadable", reason=f"the cluster could not be read again: {error}", passing=True)
        self._watch.validated = cluster
        refusal = validating.invalid(self._guard.plan, self._situation(cluster, ledger.records), resting=self._resting)
        if refusal is None:
            return None
        unread = refusal.rail in {validating.UNREADABLE, readable.RAIL}
        return Stay(word=refusal.rail, reason=f"not valid any more: {refusal}", passing=unread)

    def _situation(self, cluster: Cluster, records: tuple[EvictionRecord, ...]) -> Situation:
        return Situation(
            cluster=cluster,
            policy=self._loaded.policy,
            observing=False,
            records=records,
            own_namespace=self._tools.namespace,
        )

    def _evict(self) -> End | None:
        if not self._guard.plan.disruptions:
            return None
        seen = self._journal.enter(PlanPhase.EVICTING, tries=_TRIES)
        stay = Steps(self._watch, self._journal).take() if seen else _UNSEEN
        if stay is None:
            return None
        self._journal.unmet("Evicted", stay)
        return aborted(stay)

    def _let_them_go(self) -> End | None:
        """Wait until every victim is gone."""
        while self._watch.evicted_at:
            _, progress = self._watch.look()
            self._journal.show(progress)
            left = (*progress.standing, *progress.ending)
            if not left:
                self._journal.met("Evicted", "Gone", "every victim is gone")
                break
            end = self._watch.end(progress, f"still terminating: {', '.join(map(str, left))}")
            if end is not None:
                return end
            self._tools.pause(POLL)
        return None

    def _realise(self) -> End:
        """Wait until all wanted pods are bound."""
        self._journal.enter(PlanPhase.REALISING)
        while True:
            cluster, progress = self._watch.look()
            self._journal.show(progress)
            if progress.done:
                self._journal.met("Realised", "Bound", _BOUND)
                return End(phase=PlanPhase.COMPLETED, reason=_BOUND)
            end = self._watch.end(progress, f"not in time: {progress.missing}")
            if end is not None:
                return end
            if self._loaded.policy.plan.nominate:
                self._nominator.nominate(cluster)
            self._tools.pause(POLL)
