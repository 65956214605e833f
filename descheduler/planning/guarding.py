"""What must hold before each eviction of a plan, asked anew each time; it evicts nothing and ends no plan.

The order of the numbers matters (6 + 2 + 2 <= 10): a replica was seen to obey the plan less than 6 s ago, our own slot
was renewed less than 2 s ago, the call ends within 2 s, and a replica drops the plan 10 s after the last renewal. So no
eviction happens after the drop, however the clocks and the pauses of processes lie.
"""

import math
from collections.abc import Callable
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
_READ_EVERY: Final = 0.5
_PATIENCE: Final = 5.0  # an API server that restarts is back within a few seconds; reservations hold meanwhile
_AGAIN: Final = 1.0


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
            return self.lost() or Stay(word="slot", reason="the slot could not be renewed", passing=True)
        problem = self.tools.replicas.look()
        if problem is not None:
            return Stay(word="replicas", reason=problem, passing=True)
        return self.wanted() or self.known()

    def known(self) -> Stay | None:
        """Say from memory alone whether the next call may be made."""
        stay = self.going() or self.lost()
        if stay is not None:
            return stay
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

    def lost(self) -> Stay | None:
        """Say what became of the slot if it does not name the plan any more, as far as that is known."""
        slot = self.tools.slot
        return None if slot.held is not None else Stay(word="slot", reason=slot.lost or "the slot was freed")

    def meant(self) -> Stay | None:
        """Read whether the plan is still to be in force: as the slot says, and as people say."""
        self.tools.slot.look()
        return self.lost() or self.wanted()

    def wanted(self) -> Stay | None:
        """Read the plan again: a person may want it aborted, or may have deleted or changed it."""
        try:
            seen = self.tools.store.read(self.plan.name)
        except (errors.ApiError, MalformedObject) as error:
            return Stay(word="unreadable", reason=f"the plan cannot be read: {error}", passing=True)
        if seen is None or seen.uid != self.plan.uid:
            return Stay(word="plan", reason="the plan was deleted")
        if seen.phase.ended:
            return Stay(word="plan", reason=f"somebody else closed the plan: {seen.phase}")
        if seen.abort is not None:
            return Stay(word="abort-requested", reason=f"abort requested: {seen.abort or 'no reason given'}")
        if _decided(seen) != _decided(self.plan):
            return Stay(word="plan", reason="somebody changed what the plan says of pods and nodes")
        return None


def _decided(plan: Plan) -> tuple[object, ...]:
    """Return what replicas of the extender read in a plan."""
    return plan.revision, plan.hold, plan.entries, plan.quotas, plan.headcounts


@dataclass(slots=True)
class Hearing:
    """Hears of people while a plan waits: reads slot and plan every half second, which costs two small calls.

    An API server that does not answer for a moment ends no plan: its time does.
    """

    guard: Guard
    _read_at: float = -math.inf

    def stay(self) -> Stay | None:
        """Say why the plan must not wait any longer."""
        now = self.guard.tools.clock.monotonic()
        if now - self._read_at < _READ_EVERY:
            return self.guard.lost()
        self._read_at = now
        stay = self.guard.meant()
        return None if stay is None or stay.passing else stay


def patiently(tools: Tools, attempt: Callable[[], Stay | None]) -> Stay | None:
    """Attempt something; where an API server gave no answer and nothing was called, again for a moment."""
    ends = tools.clock.monotonic() + _PATIENCE
    while True:
        stay = attempt()
        if stay is None or not stay.passing or tools.clock.monotonic() >= ends:
            return stay
        tools.pause(_AGAIN)


@dataclass(slots=True)
class GuardedEvictor:
    """Evicts for a plan, and only what its guard lets pass: asked before the pod is read, and known right before.

    `stay` is why it did not let the last one pass.
    """

    guard: Guard
    stay: Stay | None = None

    def evict(self, pod: Pod) -> EvictionAnswer:
        """Ask for the eviction; what the guard says is an answer too."""
        self.stay = self.guard.asked()
        if self.stay is not None:
            kind = AnswerKind.NOT_REACHED if self.stay.passing else AnswerKind.NOT_CALLED
            return EvictionAnswer(kind, self.stay.reason)
        return ApiEvictor(self.guard.tools.api, barred=self._barred).evict(pod)

    def _barred(self) -> str | None:
        self.stay = self.guard.known()
        return None if self.stay is None else self.stay.reason
