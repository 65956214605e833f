"""What a plan waits with: how far it got, what must end it meanwhile, and for how long it may wait."""

from dataclasses import dataclass, field
from typing import Final

from descheduler.planning.ending import End, Stay, aborted, overtaken
from descheduler.planning.guarding import Guard
from policies.model.loading import Loaded
from policies.plans import converging
from policies.plans.converging import Progress
from policies.values.clusters import Cluster
from policies.values.plans import PlanPhase

_READ_PLAN_EVERY: Final = 1.0


@dataclass(slots=True)
class Watch:
    """Watches one plan on its way.

    `validated` is the cluster that it was validated on, `since` when that was, `evicted_at` when each victim's eviction
    was accepted, by UID; times are monotonic seconds.
    """

    guard: Guard
    loaded: Loaded
    validated: Cluster | None = None
    since: float = 0.0
    evicted_at: dict[str, float] = field(default_factory=dict)
    _read_at: float = 0.0

    def progress(self, cluster: Cluster) -> Progress:
        """Return how far the plan got."""
        return converging.progress(self.guard.plan, cluster, before=self.validated)

    def now(self) -> Progress:
        """Return how far the plan got, as last heard of."""
        return self.progress(self.guard.tools.sight.snapshot())

    def end(self, progress: Progress, late: str) -> End | None:
        """Return the end that the plan comes to while it waits: overtaken, told to stop, or out of time for `late`."""
        stay = overtaken(progress) or self._told_to_stop()
        if stay is not None:
            return aborted(stay)
        within = self.loaded.policy.plan.realise_within
        ends = converging.deadline(self.guard.plan, self.evicted_at, since=self.since, realise_within=within)
        if self.guard.tools.clock.monotonic() < ends:
            return None
        return End(phase=PlanPhase.TIMED_OUT, word="timed-out", reason=late)

    def _told_to_stop(self) -> Stay | None:
        """Read the plan once a second, which is how a person is heard; a policy that changed lets it end in peace."""
        tools = self.guard.tools
        if tools.stopping():
            return Stay(word="stopping", reason="the descheduler is ending")
        if not tools.leads():
            return Stay(word="lease", reason="this process does not hold the lease")
        if tools.slot.held is None:
            return Stay(word="slot", reason="the slot was taken away")
        lost = tools.replicas.lost(self.guard.plan.version)
        if lost is not None:
            return Stay(word="replicas", reason=lost)
        if tools.clock.monotonic() - self._read_at < _READ_PLAN_EVERY:
            return None
        self._read_at = tools.clock.monotonic()
        stay = self.guard.wanted()
        # An API server that does not answer for a moment ends no plan: the deadline does.
        return None if stay is None or stay.word == "unreadable" else stay
