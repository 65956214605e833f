"""Which pods a plan may place or move, which stay where they are and why; looks at no node's room.

A pod that only its own node can have is no item: the optimiser would have to be told that in rows.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from policies.feasibility.attachments import attachments, unread
from policies.feasibility.outlook import awaited, stand_in
from policies.placement.scope import Reach
from policies.plans.rails import Pair, first_plan_refusal
from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.pods import Phase, Pod
from policies.values.refusals import Refusal
from policies.values.volumes import Claim

RULE: Final = "plan"
RELIEF: Final = "relief"
NOT_PLACED: Final = "not-placed"
SHARED_VOLUME: Final = "shared-volume"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fates:
    """The live pods of a cluster, parted. Each tuple is in the order of namespace and name.

    `movable` run and may be moved, `leaving` are the victims of a relief among those, `pending` may be placed.
    `standing` take room on a node and stay: bound, nominated, or still to come from an earlier eviction. `fixed` says
    why a bound pod stays, `left_out` why a pending one is not placed, both by UID.
    """

    movable: tuple[Pod, ...] = ()
    leaving: tuple[Pod, ...] = ()
    pending: tuple[Pod, ...] = ()
    standing: tuple[Pod, ...] = ()
    fixed: Mapping[str, Refusal] = field(default_factory=dict)
    left_out: Mapping[str, Refusal] = field(default_factory=dict)


def tell_apart(
    situation: Situation, *, relief: Collection[str] = (), resting: Mapping[Pair, float] | None = None
) -> Fates:
    """Part the pods of a situation under plan rules; `relief` are the UIDs of those that must leave."""
    reach = Reach.of(situation.policy.scope, situation.own_namespace)
    live = sorted((pod for pod in situation.cluster.pods.values() if not pod.ended), key=str)
    bound = [pod for pod in live if pod.node is not None]
    waiting = [pod for pod in live if pod.node is None]
    fixed = {pod.uid: why for pod in bound if (why := _held(pod, situation, resting or {})) is not None}
    left_out = {pod.uid: why for pod in waiting if (why := _unplaceable(pod, situation, reach)) is not None}
    movable = [pod for pod in bound if pod.uid not in fixed]
    standing = [pod for pod in bound if pod.uid in fixed]
    standing += [replace(pod, node=pod.nominated_node) for pod in waiting if pod.nominated_node is not None]
    return Fates(
        movable=tuple(pod for pod in movable if pod.uid not in relief),
        leaving=tuple(pod for pod in movable if pod.uid in relief),
        pending=tuple(pod for pod in waiting if pod.uid not in left_out),
        standing=(*standing, *_expected(situation)),
        fixed=fixed,
        left_out=left_out,
    )


def _held(pod: Pod, situation: Situation, resting: Mapping[Pair, float]) -> Refusal | None:
    """Return why a bound pod stays: a rail, or a volume that it has together with another pod."""
    candidate = Candidate(pod=pod, node=pod.node or "", rule=RULE, reason="")
    refusal = first_plan_refusal(candidate, situation, resting=resting)
    return refusal or next(_ties(pod, situation, others=lambda _pod: True), None)


def _unplaceable(pod: Pod, situation: Situation, reach: Reach) -> Refusal | None:
    """Return why a pending pod is not placed by a plan."""
    why = _state(pod) or reach.exemption(pod)
    if why is not None:
        return Refusal(NOT_PLACED, f"{pod}: {why}")
    why = unread(situation.cluster)
    if why is not None and attachments(pod, situation.cluster):
        return Refusal(NOT_PLACED, f"{pod}: {why}")
    return next(_ties(pod, situation, others=lambda other: other.node is None and str(other) < str(pod)), None)


def _state(pod: Pod) -> str | None:
    if pod.gated:
        return "scheduling gates hold it"
    if pod.terminating:
        return "is being deleted"
    if pod.nominated_node is not None:
        return f"is nominated for {pod.nominated_node}"
    if pod.phase is not Phase.PENDING or pod.static:
        return f"phase {pod.phase} without a node"
    return None


def _ties(pod: Pod, situation: Situation, *, others: Callable[[Pod], bool]) -> Iterator[Refusal]:
    """Yield why a volume ties a pod to others: it is attached to one node at a time, and they use it too."""
    for name in pod.claims:
        claim = situation.cluster.claims.get(f"{pod.namespace}/{name}")
        for user in () if claim is None or claim.shared else _users(claim, situation):
            if user.uid != pod.uid and others(user):
                yield Refusal(SHARED_VOLUME, f"claim {name} is used by {user} too, and by one node at a time")


def _users(claim: Claim, situation: Situation) -> tuple[Pod, ...]:
    return situation.view.users_of.get(f"{claim.namespace}/{claim.name}", ())


def _expected(situation: Situation) -> Iterator[Pod]:
    """Yield the pods that earlier evictions are expected to bring, where none of their workload waits already."""
    waiting = Counter(
        situation.cluster.workload_of.get(pod.uid) for pod in situation.cluster.pods.values() if pod.node is None
    )
    for record in awaited(situation):
        pod = stand_in(record, situation)
        if waiting[record.workload] > 0:
            waiting[record.workload] -= 1
        elif pod is not None and record.destination in situation.cluster.nodes:
            yield replace(pod, uid=f"{record.name}+", node=record.destination, terminating=False)
