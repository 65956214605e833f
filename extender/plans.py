"""The plan in force with the pods and nodes it speaks of, what is claimed under it, and who waits for its end.

Watches tell, requests look and say what was answered, a task of its own lets time pass. Everything is decided in
`policies.plans`; here it is only kept. Times are monotonic seconds.
"""

import math
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from extender.census import Census
from extender.orders import Orders
from extender.waiting import FirstCalls, Wait, Waiting
from policies.placement.filtering import FilterDecision
from policies.placement.reasons import Reason
from policies.plans.claims import Claim, Claims
from policies.plans.force import PlanInForce
from policies.plans.holding import Crowd, is_held
from policies.plans.obeying import Obeyed
from policies.plans.sights import PlanSight, look
from policies.values.nodes import Node
from policies.values.plans import Plan, PlanSlot
from policies.values.pods import Pod
from sources.clocks import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The plan obeyed, and numbers: nodes with promises, pods still to come, claims, waiting and held pods, drops."""

    plan: Plan | None
    nodes: int
    awaited: int
    claims: int
    waiting: int
    held: int
    dropped: int


class Plans:
    """`nudged` is set when pods that wait may be answered differently now, `released` when a plan is over.

    Then pods may wait of which nobody knows here: another replica refused them, and is gone.
    """

    def __init__(self, census: Census | None = None, *, nudged: threading.Event | None = None) -> None:
        self.orders = Orders()
        self.waiting = Waiting()
        self.preempting = FirstCalls()
        self.released = threading.Event()
        self._census = Census() if census is None else census
        self._nudged = threading.Event() if nudged is None else nudged
        self._force: PlanInForce | None = None
        self._claims = Claims()
        self._everybody = False
        self._leader_at = -math.inf
        self._lock = threading.RLock()  # what requests look at and change
        self._reviewing = threading.Lock()  # taking up a plan, for which no request waits

    # ------------------------------------------------------------------ what watches tell

    def slot(self, slot: PlanSlot | None, *, now: float) -> None:
        """Take in the slot."""
        with self._lock:
            self.orders.slot(slot, now=now)
        self.review(now)

    def plan(self, before: Plan | None, after: Plan | None, *, now: float) -> None:
        """Take in a new, changed or deleted plan."""
        with self._lock:
            self.orders.plan(before, after)
        self.review(now)

    def pod(self, before: Pod | None, after: Pod | None) -> None:
        """Take in a pod, once the census has it."""
        if self._force is None and not self.waiting and not self.preempting:
            return
        with self._lock:
            if self._force is not None and self._force.change(before, after):
                self._eased()
            pod = before if after is None else after
            if pod is not None:
                self._settle(pod, gone=after is None)

    def node(self, name: str, node: Node | None) -> None:
        """Take in a node, once the census has it."""
        if self._force is not None:
            with self._lock:
                if self._force.node(name, node):
                    self._eased()

    def leader(self, lease: tuple[str, str] | None, *, now: float) -> None:
        """Take in the leader's Lease (holder and version): each change is a sign of life, one without holder is none.

        So is the first sight, for as long: whoever has just begun to lead has not renewed yet.
        """
        self._leader_at = now if lease is not None and lease[0] else -math.inf

    def leader_silent_for(self, now: float) -> float:
        """Return for how long nobody was seen who could compute a plan."""
        return now - self._leader_at

    # ------------------------------------------------------------------ what requests ask

    @property
    def turn(self) -> AbstractContextManager[Any]:
        """What one look and the note of its answer happen under, so that no other comes in between."""
        return self._lock

    def sight(self, pod: Pod, *, most_held: int, now: float) -> PlanSight | None:
        """Return what the plan in force means to a pod, None without one."""
        force = self._force
        if force is None or not self.orders.in_force(now):
            return None
        uid = pod.uid
        crowd = Crowd(others=self.waiting.held(beside=uid), most=most_held, already=self.waiting.is_held(uid))
        held = is_held(force.plan, crowd, everybody=self.orders.holds_everybody(now))
        return look(pod, force, self._claims, nodes=self._census.nodes, held=held)

    def preempting_for(self, pod: Pod, *, now: float) -> float:
        """Return for how long the pod has asked for a preemption; the clock starts with its first call."""
        with self._lock:
            return now - self.preempting.since(pod.uid, now=now)

    def answered(self, sight: PlanSight | None, pod: Pod, decision: FilterDecision, *, now: float) -> None:
        """Note what a filter call got: what the pod claims by it, and whether it waits.

        An answer that comes after the bind, to a call that kube-scheduler has given up, is none.
        """
        if self._census.pod(pod.uid) is not None:
            return
        if sight is not None:
            self._claim(pod.uid, sight.claim({*decision.passed}, now=now))
        if sight is not None and decision.kept_waiting:
            kept = sight.kept_by_claims(decision.refused.get(Reason.RESERVED, ()))
            self.waiting.put(pod.uid, Wait.of(now, held=Reason.HELD in decision.refused, claimed=kept))
        else:
            self.waiting.forget(pod.uid)

    def preempts(self, sight: PlanSight | None, pod: Pod, kept: Collection[str], *, now: float) -> None:
        """Note where a pod may preempt: until it is seen nominated there, it claims what it will take."""
        if sight is not None and kept:
            self._claim(pod.uid, sight.claim(kept, now=now))

    def figures(self) -> Figures:
        """Return what there is to count."""
        with self._lock:
            promised = {} if self._force is None else self._force.promised
            return Figures(
                plan=None if self.orders.obeyed is None else self.orders.obeyed.plan,
                nodes=len(promised),
                awaited=sum(promise.count for reserve in promised.values() for promise in reserve.promises),
                claims=len(self._claims),
                waiting=len(self.waiting),
                held=self.waiting.held(),
                dropped=self.orders.drops,
            )

    # ------------------------------------------------------------------ what time and our Lease bring

    def step(self, now: float) -> None:
        """Let time pass: plans are dropped, holds and claims end."""
        self.review(now)
        with self._lock:
            everybody, self._everybody = self._everybody, self.orders.holds_everybody(now)
            over = self._claims.expire(now)
            if (everybody and not self._everybody) or any(self._kept_somebody(claim) for claim in over):
                self._nudged.set()
            self.waiting.sweep(now, known=self._census.waits)
            self.preempting.sweep(now)

    def review(self, now: float) -> None:
        """Find out which plan is in force, and take it up; the one before is until that is done."""
        with self._reviewing:
            with self._lock:
                obeyed = self.orders.due(now)
            if obeyed is None or obeyed.plan.version != self.orders.version:
                self._take_up(obeyed)
            else:
                self.orders.obeyed = obeyed

    def _take_up(self, obeyed: Obeyed | None) -> None:
        # Watches, which alone bring a plan, tell one thing after the other: no pod changes meanwhile.
        force = None if obeyed is None else PlanInForce(obeyed.plan, self._census.nodes, self._everyone())
        with self._lock:
            if force is None and self._force is None:
                return
            over = self._force is not None and (force is None or force.plan.uid != self._force.plan.uid)
            self.orders.obeyed, self._force, self._claims = obeyed, force, Claims()
            # Not asked of the clock: a hold may be over before anybody looks, and its end has to be noticed.
            self._everybody = obeyed is not None and obeyed.plan.revision == 0
            self.waiting.release()
        if over:
            self.released.set()
        self._nudged.set()

    def _everyone(self) -> Iterable[Pod]:
        return chain(self._census.pods(), self._census.pending())

    def words(self, *, synced: bool, now: float) -> Mapping[str, str | None]:
        """Return what our Lease is to say."""
        with self._lock:
            return self.orders.words(synced=synced, now=now)

    def told(self, words: Mapping[str, str | None], lease: Mapping[str, str], *, now: float) -> None:
        """Note what was sent to our Lease at some time, and what stands there."""
        with self._reviewing, self._lock:
            self.orders.told(words, lease, now=now)

    def _settle(self, pod: Pod, *, gone: bool) -> None:
        """End a pod's claim and wait where it is bound or gone, or its attempt has failed."""
        claim = self._claims.of(pod.uid)
        if gone or pod.node is not None:
            self.waiting.forget(pod.uid)
            self.preempting.forget(pod.uid)
        if claim is None:
            return
        if not gone and pod.node is None and claim.awaits(pod):
            self._claims.put(replace(claim, until=math.inf))
        elif gone or pod.node is not None or claim.failed(pod):
            self._claims.drop(pod.uid)
            # What was claimed of its own node is used up by a bind.
            if self.waiting.kept_by_claims(claim.spots - {None if gone else pod.node}):
                self._nudged.set()

    def _eased(self) -> None:
        """Have whoever waits woken: kube-scheduler may have asked for it before our watch told us why."""
        if self.waiting:
            self._nudged.set()

    def _claim(self, uid: str, claim: Claim | None) -> None:
        """Put a pod's claim in place of its last one; whom that one kept from nodes that are not in it is woken."""
        before = self._claims.drop(uid)
        if claim is not None:
            self._claims.put(claim)
        if before is not None:
            freed = before.spots if claim is None else before.spots - claim.spots
            if freed and self.waiting.kept_by_claims(freed):
                self._nudged.set()

    def _kept_somebody(self, claim: Claim) -> bool:
        return self.waiting.kept_by_claims(claim.spots)


@dataclass(frozen=True, slots=True)
class PlanWord:
    """What our Lease says of plans. A replica that does not know all nodes and pods yet says that it obeys none."""

    plans: Plans
    synced: Callable[[], bool]
    clock: Clock

    def words(self) -> Mapping[str, str | None]:
        """Return the annotations to write."""
        return self.plans.words(synced=self.synced(), now=self.clock.monotonic())

    def told(self, words: Mapping[str, str | None], lease: Mapping[str, str], /, *, at: float) -> None:
        """Note what was written, and what stands in the Lease."""
        self.plans.told(words, lease, now=at)
