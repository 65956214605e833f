"""The cluster as it will stand once a plan has happened, and whether everybody whom it places can stand there.

Who has arrived stands there as himself, who is to come by a stand-in, and the plan's victims are gone: that holds at
every moment of a plan's life, so the same question is asked before the first eviction and before each of them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from policies.feasibility.attach_limits import ATTACH_LIMITS
from policies.feasibility.attachments import alike, attachments, unread
from policies.feasibility.host_ports import HOST_PORTS
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicates import PREDICATES
from policies.feasibility.resources import RESOURCES
from policies.plans.quotas import (
    Kind,
    kind,
    kind_among,
    kind_of,
    leaving,
    making_way,
    place_for,
    remaining,
    unbound_pins,
)
from policies.plans.reservations import ports_clash
from policies.rails.view import View
from policies.values.clusters import Cluster
from policies.values.plans import Plan, PlanEntry
from policies.values.pods import Constraints, Owner, Phase, Pod
from policies.values.refusals import Refusal, Scope
from policies.values.resources import Resources, total
from policies.values.workloads import WorkloadRef

NO_ROOM: Final = "plan-room"
NO_NODE: Final = "plan-node"
# Every predicate excludes the pod itself, but these: they are asked of all pods of a node together.
_ONE_BY_ONE: Final = tuple(each for each in PREDICATES if each not in {RESOURCES, ATTACH_LIMITS, HOST_PORTS})


@dataclass(frozen=True, slots=True, kw_only=True)
class EndState:
    """`cluster` is the snapshot after the plan; `coming` are the stand-ins in it for those who are still to come."""

    cluster: Cluster
    coming: tuple[Pod, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Known:
    """The pods of a snapshot as a plan knows them: by UID, by name while they wait, one of each kind."""

    cluster: Cluster
    waiting: Mapping[str, Pod] = field(default_factory=dict)
    samples: Mapping[Kind, Pod] = field(default_factory=dict)

    @staticmethod
    def of(plan: Plan, cluster: Cluster) -> "_Known":
        controllers = {entry.controller for entry in plan.entries if entry.controller is not None}
        waiting, samples = dict[str, Pod](), dict[Kind, Pod]()
        for pod in cluster.pods.values():
            of = kind_among(pod, controllers)
            if of is None:
                continue
            samples.setdefault(of, pod)
            if pod.node is None and not pod.ended and not pod.terminating:
                waiting[str(pod)] = pod
        return _Known(cluster=cluster, waiting=waiting, samples=samples)


def end_state(plan: Plan, cluster: Cluster) -> EndState:
    """Return how the cluster will stand once everything that is left of a plan has happened."""
    known = _Known.of(plan, cluster)
    coming = tuple(_coming(plan, known))
    targets = {(entry.controller, entry.target) for entry in plan.entries}
    # Who is nominated to a node where the plan wants him has his stand-in there; nominated elsewhere he takes room.
    doubled = (
        pod
        for pod in known.waiting.values()
        if pod.nominated_node is None or (_controller(pod), pod.nominated_node) in targets
    )
    ending = making_way(plan, cluster.pods.values())
    out = {*leaving(plan), *(pod.uid for pod in (*doubled, *ending))}
    staying = {uid: pod for uid, pod in cluster.pods.items() if uid not in out}
    # By then volumes are detached that nobody uses: a plan's own victims leave theirs attached for a while.
    pods = staying | {pod.uid: pod for pod in coming}
    return EndState(cluster=replace(cluster, pods=pods, volume_attachments={}), coming=coming)


def _controller(pod: Pod) -> WorkloadRef | None:
    of = kind_of(pod)
    return None if of is None else of.controller


def _coming(plan: Plan, known: _Known) -> Iterator[Pod]:
    """Yield a stand-in for each pod that is still to come, on its node."""
    left = Counter(remaining(plan, known.cluster.pods.values()))
    unbound = unbound_pins(plan, known.cluster.pods.values())
    for at, entry in enumerate(plan.entries):
        if entry.target is None or (entry.controller is None and entry.uid not in unbound):
            continue
        place = place_for(entry)
        if place is not None:
            if left[place] == 0 or _has_arrived(entry, known):
                continue
            left[place] -= 1
        uid = entry.uid if entry.controller is None else f"{plan.uid}/{at}"
        yield replace(_like(entry, known), uid=uid, node=entry.target, nominated_node=None, terminating=False)


def _has_arrived(entry: PlanEntry, known: _Known) -> bool:
    pod = known.cluster.pods.get(entry.uid)
    return pod is not None and pod.node == entry.target


def _like(entry: PlanEntry, known: _Known) -> Pod:
    """Return a pod like the one an entry speaks of: itself, its namesake, one of its kind, or what the entry says.

    One of its kind has volumes of its own, which are not those of the pod to come: as many others stand for them.
    """
    itself = known.cluster.pods.get(entry.uid) or known.waiting.get(str(entry))
    if itself is not None:
        return itself
    if entry.controller is not None:
        sample = known.samples.get(kind(entry.controller, entry.requests))
        if sample is not None:
            return replace(sample, name=entry.pod, claims=(), disks=alike(sample, known.cluster, of=entry.uid))
    return _sketch(entry)


def _sketch(entry: PlanEntry) -> Pod:
    controller = entry.controller
    return Pod(
        namespace=entry.namespace,
        name=entry.pod,
        uid=entry.uid,
        owner=None if controller is None else Owner(controller.kind, controller.name),
        phase=Phase.PENDING,
        priority=entry.priority,
        requests=entry.requests,
        constraints=Constraints(host_ports=entry.host_ports),
    )


def why_not(plan: Plan, cluster: Cluster) -> Refusal | None:
    """Return why somebody whom the plan places could not stand on his node in the end, None where all can.

    Counted are all requests on the node, those of nominated and of terminating pods too, and kube-scheduler's
    predicates with everybody in his place; what is broken elsewhere already is not the plan's concern.
    """
    state = end_state(plan, cluster)
    gone = next((pod for pod in state.coming if pod.node not in cluster.nodes), None)
    if gone is not None:
        return Refusal(NO_NODE, f"{gone.node}, where {gone} is to go, is gone", Scope.NODE)
    occupancy = Occupancy(View(state.cluster, ()))
    return _overfull(state, occupancy) or _unfit(state, occupancy)


def _overfull(state: EndState, occupancy: Occupancy) -> Refusal | None:
    """Return which node would have less than its pods ask for, or two pods with one host port."""
    taken: dict[str, Resources] = {}
    for pod in state.coming:
        node = pod.node or ""
        if node not in taken:
            taken[node] = total(each.requests for each in occupancy.on(node))
        for name, amount in sorted(pod.requests.amounts.items()):
            over = taken[node][name] - state.cluster.nodes[node].allocatable[name]
            if amount > 0 and over > 0:
                return Refusal(NO_ROOM, f"{node} would lack {over} of {name} with {pod} on it", Scope.NODE)
        unattached = _unattached(pod, occupancy)
        if unattached is not None:
            return unattached
        others = (other for other in occupancy.on(node) if other.uid != pod.uid)
        if ports_clash(pod.constraints.host_ports, (port for other in others for port in other.constraints.host_ports)):
            return Refusal(HOST_PORTS.name, f"{node}: host port of {pod} taken", Scope.NODE)
    return None


def _unattached(pod: Pod, occupancy: Occupancy) -> Refusal | None:
    """Return why a node cannot attach the volumes of a pod together with those of everybody else there."""
    drivers = sorted({volume.driver for volume in attachments(pod, occupancy.cluster)})
    unknown = unread(occupancy.cluster)
    if drivers and unknown is not None:
        return Refusal(ATTACH_LIMITS.name, f"{pod.node}, for {pod}: {unknown}", Scope.NODE)
    for driver in drivers:
        over = -int(occupancy.attached.left(driver)[occupancy.row_of(pod)])
        if over > 0:
            message = f"{pod.node} would have {over} volumes of {driver} more than it can attach, with {pod} on it"
            return Refusal(ATTACH_LIMITS.name, message, Scope.NODE)
    return None


def _unfit(state: EndState, occupancy: Occupancy) -> Refusal | None:
    """Return which pod kube-scheduler would not place where the plan wants it."""
    for pod in state.coming:
        row = occupancy.rows.row[pod.node or ""]
        for predicate in _ONE_BY_ONE:
            for closure in predicate.closures(pod, occupancy):
                if closure.rows[row]:
                    return Refusal(predicate.name, f"{pod.node}: {closure.reason}, for {pod}", Scope.NODE)
    return None
