"""What surrounds one plan, as the watch last heard of it: what a plan that waits looks at, instead of everything.

The watch says whom a change concerns; what is then taken is the newest it has. So that nothing can be missed for long,
everything is gone through again every few seconds. How far the plan got is not judged here.
"""

import threading
from collections.abc import Mapping
from typing import Any, Final

from policies.plans.surroundings import Surroundings, alike
from policies.values import kinds
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from policies.values.pods import Pod
from policies.values.workloads import WorkloadRef
from sources.clocks import Clock
from sources.kube.assembling import assemble
from sources.kube.cluster_watch import Change, ClusterWatch
from sources.kube.decoding.workloads import Controller

# Arbitrary: 50 ms of work at 37,000 pods, so one hundredth of a core.
LOOKS_ANEW_EVERY: Final = 5.0
_OWNERS: Final = (kinds.DEPLOYMENTS, kinds.REPLICA_SETS, kinds.STATEFUL_SETS, kinds.DAEMON_SETS, kinds.JOBS)
_MAKERS: Final = {"ReplicaSet": kinds.REPLICA_SETS, "Job": kinds.JOBS}  # whose own owners tell a pod's workload
_NOBODY: Final[dict[str, Any]] = {}


class Followed:
    """The surroundings of one plan. `heard` belongs to the watch's threads, calling it to the plan's own."""

    def __init__(self, watch: ClusterWatch, plan: Plan, clock: Clock) -> None:
        self._watch = watch
        self._clock = clock
        self._plan = plan
        self._around = Surroundings(plan)
        self._owners: dict[str, dict[str, Controller]] = {}
        self._looked_at = float("-inf")
        self._lock = threading.Lock()
        self._pods: set[str] = set()  # that changed since the last look
        self._others = False  # whether a node or an owner did
        self._anew = True  # whether pods may belong to somebody else now
        self._cluster: Cluster | None = None

    def heard(self, change: Change) -> None:
        """Note a change if it concerns the plan."""
        match change.kind:
            case kinds.PODS:
                self._heard_of_pod(change.before, change.after)
            case kinds.NODES:
                if (change.after or change.before).name in self._around.nodes:
                    self._touch()
            case kind if kind in _OWNERS:
                if any(self._is_owner(one) for one in (change.before, change.after) if one is not None):
                    self._touch(anew=_of_whom(change.before) != _of_whom(change.after))

    def __call__(self) -> Cluster:
        """Return the surroundings as last heard of; the same object while nothing about them has changed."""
        with self._lock:
            changed, self._pods = self._pods, set()
            others, self._others = self._others, False
            anew, self._anew = self._anew, False
        unreadable = self._watch.troubles()
        anew = anew or self._clock.monotonic() - self._looked_at >= LOOKS_ANEW_EVERY
        if anew:
            self._look_anew()
        elif others:
            self._owners = self._all_owners()
        touched = [uid for uid in changed if self._take(uid)]
        known = self._cluster
        if known is None or anew or others or touched or unreadable != known.unreadable:
            self._cluster = self._assembled(unreadable)
        return self._cluster or Cluster(now=0.0)

    # ------------------------------------------------------------------ what concerns the plan

    def _heard_of_pod(self, before: Pod | None, after: Pod | None) -> None:
        if alike(before, after):
            return
        for pod in (before, after):
            if pod is not None and self._concerns(pod):
                with self._lock:
                    self._pods.add(pod.uid)
                return

    def _touch(self, *, anew: bool = False) -> None:
        with self._lock:
            self._others = True
            self._anew = self._anew or anew

    def _concerns(self, pod: Pod) -> bool:
        around = self._around
        return around.is_near(pod) or around.is_own(pod, self._workload_of(pod))

    def _workload_of(self, pod: Pod) -> WorkloadRef | None:
        return self._watch.workload_of(pod) if pod.namespace in self._around.namespaces else None

    def _is_owner(self, controller: Controller) -> bool:
        ref, owner = controller.workload.ref, controller.owner
        above = None if owner is None else WorkloadRef(owner.kind, ref.namespace, owner.name)
        return ref in self._around.owners or above in self._around.owners

    # ------------------------------------------------------------------ what is looked at

    def _look_anew(self) -> None:
        self._looked_at = self._clock.monotonic()
        self._around = around = Surroundings(self._plan)
        self._owners = self._all_owners()
        known: dict[tuple[str, int], WorkloadRef | None] = {}  # pods of one owner share it as one object
        for pod in self._watch.values(kinds.PODS).values():
            key = pod.namespace, id(pod.owner)
            if key not in known:
                known[key] = self._workload_of(pod)
            around.put(pod, known[key])

    def _all_owners(self) -> dict[str, dict[str, Controller]]:
        return {
            kind: {key: one for key, one in self._watch.values(kind).items() if self._is_owner(one)} for kind in _OWNERS
        }

    def _take(self, uid: str) -> bool:
        """Take in a pod as the watch has it now; tell whether that matters."""
        pod = self._watch.get(kinds.PODS, uid)
        return self._around.drop(uid) if pod is None else self._around.put(pod, self._workload_of(pod))

    def _assembled(self, unreadable: Mapping[str, str]) -> Cluster:
        pods = self._around.pods
        nodes = {name: node for name in self._around.nodes if (node := self._watch.get(kinds.NODES, name)) is not None}
        stores: dict[str, dict[str, Any]] = {kinds.PODS: dict(pods), kinds.NODES: nodes}
        stores |= {kind: dict(owners) for kind, owners in self._owners.items()}
        for pod in pods.values():  # an owner that is missing would be guessed at by the name
            kind = _MAKERS.get(pod.owner.kind) if pod.owner is not None else None
            if kind is not None and pod.owner is not None:
                key = f"{pod.namespace}/{pod.owner.name}"
                maker = stores[kind].get(key) or self._watch.get(kind, key)
                if maker is not None:
                    stores[kind][key] = maker
        return assemble(stores, now=self._watch.server_time.now(), unreadable=unreadable, skipped=_NOBODY)


def _of_whom(controller: Controller | None) -> object:
    """Return whom an owner's pods belong to, as far as that can change."""
    return None if controller is None else (controller.workload.ref, controller.owner)
