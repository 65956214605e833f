"""Asks the checks again right before a victim goes, on the cluster and the ledger of now; it evicts nobody."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from descheduler import observing
from descheduler.ledger import Ledger
from descheduler.observing import Scene
from descheduler.proposing import propose
from descheduler.tooling import Tools
from policies import checking
from policies.rails import readable
from policies.values.candidates import Victim
from policies.values.clusters import Cluster
from policies.values.refusals import Refusal, Scope
from sources.kube import errors

NO_LONGER: Final = "no-longer-proposed"


@dataclass(frozen=True, slots=True)
class Recheck:
    """Asks the checks again, on the cluster and the ledger of now.

    The signals stay those of the decision until they are as old as a stale one; then `again` reads them anew, and the
    rules must still propose the victim. `at` (monotonic seconds) is when the decision began to look.
    """

    tools: Tools
    scene: Scene
    again: Callable[[Cluster, Ledger], Scene]
    at: float

    def __call__(self, victim: Victim, *, ledger: Ledger, done: tuple[Victim, ...]) -> Victim | Refusal:
        """Return the victim, or why it must stay."""
        try:
            fresh = self.tools.clusters.fresh(victim)
        except errors.ApiError as error:
            return Refusal(readable.RAIL, f"the cluster could not be read again: {error}", Scope.CLUSTER)
        cluster, ledger = observing.on_one_clock(fresh, ledger)
        # By whichever clock says more: the server's may have been set back since, and ages nothing then.
        age = max(cluster.now - self.scene.cluster.now, self.tools.clock.monotonic() - self.at)
        now = replace(self.scene, cluster=cluster, ledger=ledger)
        if age > self.scene.policy.signals.stale_after:
            now = self.again(cluster, ledger)
            if not _proposes(now, victim):
                return Refusal(NO_LONGER, f"decided {age:.0f} s ago; the signals of now do not propose it any more")
        situation = replace(now.situation(own_namespace=self.tools.own_namespace), victims=done)
        return checking.recheck(victim, situation, now.standings, now.troubled) or victim


def _proposes(scene: Scene, victim: Victim) -> bool:
    """Tell whether the victim's own rule would propose it on this scene."""
    chosen = victim.candidate
    offered = (
        candidate for proposal in propose(scene) if proposal.refusal is None for candidate in proposal.candidates
    )
    return any((candidate.pod.uid, candidate.rule) == (chosen.pod.uid, chosen.rule) for candidate in offered)
