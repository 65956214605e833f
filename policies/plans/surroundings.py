"""What of a cluster a plan's progress depends on: its pods and their likes, their owners, whoever stands in their way.

A plan that waits is looked at several times a second, and of tens of thousands of pods nearly all change nothing about
it. Like a plan in force this is somebody's working copy, who sees to it that one change is over before the next begins.
How far the plan got is not judged here.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from policies.plans.quotas import Place, kind_of, leaving, live, wanted
from policies.values.plans import Plan
from policies.values.pods import Pod
from policies.values.workloads import WorkloadRef


class Surroundings:
    """The pods around one plan. `nodes` and `owners` (controllers and workloads) are those that it names."""

    def __init__(self, plan: Plan) -> None:
        self._uids = frozenset(entry.uid for entry in plan.entries)
        self._pinned = frozenset(entry.target for entry in plan.pins.values() if entry.target is not None)
        self._controllers = frozenset(_controllers(plan))
        self._workloads = frozenset(entry.workload for entry in plan.entries if entry.workload is not None)
        self.owners = self._controllers | self._workloads
        self.nodes = frozenset(_nodes(plan))
        self.namespaces = frozenset(ref.namespace for ref in self.owners)
        self._wanted = wanted(plan)
        self._leaving = leaving(plan)
        self._standing = Counter[Place]()
        self._lacking = Counter(place.node for place, count in self._wanted.items() if count > 0)
        self._own: dict[str, Pod] = {}
        self._near: dict[str, dict[str, Pod]] = {name: {} for name in self.nodes}
        self._place: dict[str, str] = {}

    def put(self, pod: Pod, workload: WorkloadRef | None) -> bool:
        """Take in a pod as it is now, with whom it belongs to; tell whether it matters, or did."""
        mattered = self.drop(pod.uid)
        own, place = self.is_own(pod, workload), node_of(pod)
        if own:
            self._own[pod.uid] = pod
            self._count(pod, +1)
        if place in self._near:
            self._near[place][pod.uid] = pod
            self._place[pod.uid] = place
        return mattered or own or self._receives(place)

    def drop(self, uid: str) -> bool:
        """Forget a pod; tell whether it mattered."""
        known, place = self._own.pop(uid, None), self._place.pop(uid, None)
        matters = known is not None or self._receives(place)
        if known is not None:
            self._count(known, -1)
        if place is not None:
            del self._near[place][uid]
        return matters

    def _receives(self, name: str | None) -> bool:
        """Tell whether somebody is still to come to a node."""
        return name is not None and (name in self._pinned or self._lacking[name] > 0)

    def is_own(self, pod: Pod, workload: WorkloadRef | None) -> bool:
        """Tell whether the plan speaks of a pod, of its kind or of its workload."""
        if pod.uid in self._uids or workload in self._workloads:
            return True
        return pod.owner is not None and WorkloadRef(pod.owner.kind, pod.namespace, pod.owner.name) in self._controllers

    def is_near(self, pod: Pod) -> bool:
        """Tell whether a pod stands on a node of the plan, or is to."""
        return node_of(pod) in self._near

    @property
    def pods(self) -> Mapping[str, Pod]:
        """All that matter now, by UID: where nobody is awaited it does not matter who else stands."""
        found = dict(self._own)
        for name, near in self._near.items():
            if self._receives(name):
                found.update(near)
        return found

    def _count(self, pod: Pod, by: int) -> None:
        """Keep up how many pods stand in each place, as `quotas.bound` counts them."""
        of = kind_of(pod)
        if of is None or pod.node is None or not live(pod) or pod.uid in self._leaving:
            return
        place = Place(of, pod.node)
        lacked = self._standing[place] < self._wanted.get(place, 0)
        self._standing[place] += by
        lacks = self._standing[place] < self._wanted.get(place, 0)
        self._lacking[place.node] += lacks - lacked


def alike(before: Pod | None, after: Pod | None) -> bool:
    """Tell whether a change of a pod is none to a plan's progress: most are the kubelet's about how it fares."""
    return before is not None and after is not None and _stand(before) == _stand(after)


def _stand(pod: Pod) -> tuple[object, ...]:
    stands = pod.node, pod.nominated_node, pod.terminating, pod.ended, pod.gated
    return *stands, pod.owner, pod.requests, pod.constraints.host_ports, pod.priority


def node_of(pod: Pod) -> str | None:
    """Return the node whose room a pod takes, or is to take."""
    return pod.node or pod.nominated_node


def _controllers(plan: Plan) -> Iterator[WorkloadRef]:
    yield from (quota.controller for quota in plan.quotas)
    yield from (headcount.controller for headcount in plan.headcounts)
    yield from (entry.controller for entry in plan.entries if entry.controller is not None)


def _nodes(plan: Plan) -> Iterator[str]:
    yield from (quota.node for quota in plan.quotas)
    yield from (name for entry in plan.entries for name in (entry.source, entry.target) if name is not None)
