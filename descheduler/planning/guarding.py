"""What must hold before each eviction of a plan, asked anew each time; it evicts nothing and ends no plan.

The order of the numbers matters (6 + 2 + 2 <= 10): a replica was seen to obey the plan less than 6 s ago, our own slot
was renewed less than 2 s ago, the call ends within 2 s, and a replica drops the plan 10 s after the last renewal. So no
eviction happens after the drop, however the clocks and the pauses of processes lie.
"""

import math
from dataclasses import dataclass
from typing import Final

from descheduler.acting import STALE
from descheduler.answers import AnswerKind, EvictionAnswer
from descheduler.evictor import ApiEvictor
from descheduler.planning.ending import Stay
from descheduler.planning.tooling import Tools
from policies.values.plans import Plan
from policies.values.pods import Pod
from sources.kube import errors
from sources.kube.decoding.tolerant import MalformedObject

RENEWED_WITHIN: Final = 2.0


@dataclass(frozen=True, slots=True)
class Guard:
    """Watches over one plan. `policy_hash` is that of the policy it was made under.

    `good_until` (monotonic seconds) is how long the signals behind it may be acted upon; the pods behind it are read.
    """

    tools: Tools
    plan: Plan
    policy_hash: str
    good_until: float = math.inf

    def asked(self) -> Stay | None:
        """Ask the cluster: renew the slot, look at the replicas, and read whether a person wants an abort."""
        if not self.tools.slot.renew():
            return Stay(word="slot", reason="the slot could not be renewed or holds another plan")
        problem = self.tools.replicas.look()
        if problem is not None:
            return Stay(word="replicas", reason=problem)
        return self.wanted() or self.known()

    def known(self) -> Stay | None:
        """Say from memory alone whether the next call may be made."""
        going = self.going()
        if going is not None:
            return going
        age = self.tools.slot.renewed_for()
        if age >= RENEWED_WITHIN:
            return Stay(word="slot", reason=f"the slot was renewed {age:.1f} s ago, allowed are {RENEWED_WITHIN:.0f} s")
        silent = self.tools.replicas.silent(self.plan.version)
        return None if silent is None else Stay(word="replicas", reason=silent)

    def going(self) -> Stay | None:
        """Say whether this process may still carry out this plan at all."""
        if self.tools.stopping():
            return Stay(word="stopping", reason="the descheduler is ending")
        if not self.tools.leads():
            return Stay(word="lease", reason="this process does not hold the lease")
        if self.tools.policy().hash != self.policy_hash:
            return Stay(word="policy-changed", reason="another policy has come into force")
        if self.tools.clock.monotonic() > self.good_until:
            old = self.tools.policy().policy.signals.stale_after
            return Stay(word=STALE, reason=f"the nodes to relieve were measured more than {old:.0f} s ago")
        return None

    def wanted(self) -> Stay | None:
        """Read the plan again: a person may want it aborted, or may have deleted it."""
        try:
            seen = self.tools.store.read(self.plan.name)
        except (errors.ApiError, MalformedObject) as error:
            return Stay(word="unreadable", reason=f"the plan cannot be read: {error}")
        if seen is None or seen.uid != self.plan.uid:
            return Stay(word="plan", reason="the plan was deleted")
        if seen.phase.ended:
            return Stay(word="plan", reason=f"somebody else closed the plan: {seen.phase}")
        if seen.abort is not None:
            return Stay(word="abort-requested", reason=f"abort requested: {seen.abort or 'no reason given'}")
        return None


@dataclass(frozen=True, slots=True)
class GuardedEvictor:
    """Evicts for a plan, and only what its guard lets pass: asked before the pod is read, and known right before."""

    guard: Guard

    def evict(self, pod: Pod) -> EvictionAnswer:
        """Ask for the eviction; what the guard says is an answer too."""
        stay = self.guard.asked()
        if stay is not None:
            return EvictionAnswer(AnswerKind.NOT_CALLED, stay.reason)
        return ApiEvictor(self.guard.tools.api, leads=lambda: self.guard.known() is None).evict(pod)
