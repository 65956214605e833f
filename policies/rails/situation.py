"""What every rail looks at: the cluster, the ledger, the policy and what this cycle has decided so far."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from policies.model.policy import Policy
from policies.rails.view import View
from policies.values.candidates import Candidate, Victim
from policies.values.clusters import Cluster
from policies.values.pods import Pod
from policies.values.records import EvictionRecord, RecordState
from policies.values.workloads import Workload, WorkloadRef

_NOTHING_YET = View(Cluster(now=0.0), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """One moment of one cycle.

    `records` is the whole ledger, every state included. `victims` are those already chosen in this cycle; they count
    wherever a record of theirs would. `observing` runs count the records of observing runs as well.
    `proposed` holds the UIDs of all candidates of the cycle. `own_namespace` is where Bayplan itself runs. `section` is
    the part of the policy that refusals name: that of plans has values of its own.
    """

    cluster: Cluster
    policy: Policy
    observing: bool
    records: tuple[EvictionRecord, ...] = ()
    victims: tuple[Victim, ...] = ()
    proposed: frozenset[str] = frozenset()
    own_namespace: str = "bayplan-system"
    section: str = "eviction"
    view: View = field(default=_NOTHING_YET, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Take over the view of the situation this one was made from, unless cluster or records are others."""
        if not self.view.shows(self.cluster, self.records):
            object.__setattr__(self, "view", View(self.cluster, self.records))

    @property
    def now(self) -> float:
        """Unix seconds by the API server's clock; records carry times of the same clock."""
        return self.cluster.now

    def plus(self, victim: Victim) -> "Situation":
        """Return the situation after one more victim was chosen."""
        return replace(self, victims=(*self.victims, victim))

    def ref(self, candidate: Candidate) -> WorkloadRef | None:
        """Return the workload of a candidate, None where it is bare or not known."""
        return candidate.workload or self.cluster.workload_of.get(candidate.pod.uid)

    def workload(self, candidate: Candidate) -> Workload | None:
        """Return what is known of the candidate's workload."""
        ref = self.ref(candidate)
        return None if ref is None else self.cluster.workloads.get(ref)

    def siblings(self, candidate: Candidate) -> tuple[Pod, ...]:
        """Return the other live pods of the candidate's workload, as far as nobody has chosen them as victims."""
        leaving = self._leaving(candidate)
        pods = self.view.pods_of.get(self.ref(candidate), ()) if self.ref(candidate) else ()
        return tuple(pod for pod in pods if pod.uid not in leaving)

    def ready_siblings(self, candidate: Candidate) -> int:
        """Count the siblings that are Ready and not terminating, at a cost that does not grow with the workload."""
        ready = self.view.ready_of.get(self.ref(candidate), frozenset()) if self.ref(candidate) else frozenset()
        return len(ready) - sum(1 for uid in self._leaving(candidate) if uid in ready)

    def unready_siblings(self, candidate: Candidate) -> Iterator[Pod]:
        """Yield the siblings that are neither Ready nor terminating."""
        leaving = self._leaving(candidate)
        pods = self.view.unready_of.get(self.ref(candidate), ()) if self.ref(candidate) else ()
        return (pod for pod in pods if pod.uid not in leaving)

    def _leaving(self, candidate: Candidate) -> set[str]:
        return {victim.candidate.pod.uid for victim in self.victims} | {candidate.pod.uid}

    def counts(self, record: EvictionRecord) -> bool:
        """Tell whether a record uses up budgets here: real ones always, observed ones in observing runs only."""
        return record.counts or (self.observing and record.state is RecordState.OBSERVED)

    def unrecorded_victims(self) -> tuple[Victim, ...]:
        """Return this cycle's victims that no record stands for yet, so that none counts twice."""
        seen = self.view.records_of_pod
        return tuple(
            victim
            for victim in self.victims
            if not any(self.counts(record) for record in seen.get(victim.candidate.pod.uid, ()))
        )
