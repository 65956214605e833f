"""What a plan waits with: how far it got, what must end it meanwhile, and for how long it may wait."""

from dataclasses import dataclass, field

from descheduler.planning.ending import End, Stay, aborted, overtaken
from descheduler.planning.guarding import Guard, Hearing
from descheduler.planning.tooling import Look
from policies.model.loading import Loaded
from policies.plans import converging
from policies.plans.converging import Progress
from policies.values.clusters import Cluster
from policies.values.plans import PlanPhase


@dataclass(slots=True)
class Watch:
    """Watches one plan on its way.

    `surroundings` are looked at instead of the whole cluster. `validated` is the cluster it was validated on,
    `since` when that was, `evicted_at` when each victim's eviction was accepted, by UID; times are monotonic seconds.
    """

    guard: Guard
    loaded: Loaded
    surroundings: Look
    validated: Cluster | None = None
    since: float = 0.0
    evicted_at: dict[str, float] = field(default_factory=dict)
    _hearing: Hearing = field(init=False)
    _seen: tuple[Cluster, Cluster | None, Progress] | None = None

    def __post_init__(self) -> None:
        """Begin to listen."""
        self._hearing = Hearing(self.guard)

    def progress(self, cluster: Cluster) -> Progress:
        """Return how far the plan got."""
        return converging.progress(self.guard.plan, cluster, before=self.validated)

    def look(self) -> tuple[Cluster, Progress]:
        """Return the plan's surroundings as last heard of, and how far it got; nothing new is judged once."""
        cluster, seen = self.surroundings(), self._seen
        if seen is None or seen[0] is not cluster or seen[1] is not self.validated:
            seen = self._seen = cluster, self.validated, self.progress(cluster)
        return cluster, seen[2]

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
        """Hear of what happened to plan and slot; a policy that changed lets the plan end in peace."""
        tools = self.guard.tools
        if tools.stopping():
            return Stay(word="stopping", reason="the descheduler is ending")
        if not tools.leads():
            return Stay(word="lease", reason="this process does not hold the lease")
        stay = self._hearing.stay()
        if stay is not None:
            return stay
        lost = tools.replicas.lost(self.guard.plan.version)
        return None if lost is None else Stay(word="replicas", reason=lost)
