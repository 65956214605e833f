"""ReplicaSets: keeps the wanted number of pods and counts them."""

from simulator.controllers.owning import active, concerned, kind_named, owned, pod_from
from simulator.evicting import is_ready
from simulator.jsons import Raw
from simulator.store import Change, key_of
from simulator.writing import PODS, DeleteOptions, Writer

REPLICA_SETS = kind_named("replicasets")


class ReplicaSets:
    """Makes a pod for every one that is missing (a terminating pod is), and deletes unready and young ones first."""

    def react(self, change: Change, writer: Writer) -> None:
        """Bring the ReplicaSet concerned to its number."""
        current = concerned(writer.store, REPLICA_SETS, change, makes=PODS)
        if current is not None:
            self._bring(current, writer)

    def _bring(self, replica_set: Raw, writer: Writer) -> None:
        pods = active(owned(writer.store, PODS, replica_set))
        wanted = replica_set["spec"].get("replicas", 1)
        namespace, name = key_of(replica_set)
        for _ in range(wanted - len(pods)):
            pod = pod_from(replica_set["spec"]["template"], replica_set, generateName=f"{name}-")
            writer.create(PODS, pod, namespace=namespace)
        surplus = sorted(pods, key=lambda pod: (not is_ready(pod), pod["metadata"]["creationTimestamp"]), reverse=True)
        for pod in surplus[: max(len(pods) - wanted, 0)]:
            writer.delete(PODS, key_of(pod), DeleteOptions())
        self._count(replica_set, writer)

    def _count(self, replica_set: Raw, writer: Writer) -> None:
        pods = active(owned(writer.store, PODS, replica_set))
        ready = sum(map(is_ready, pods))
        counts = {"replicas": len(pods), "fullyLabeledReplicas": len(pods)}
        status = counts | {"readyReplicas": ready, "availableReplicas": ready}
        seen = {"observedGeneration": replica_set["metadata"].get("generation", 1)}
        writer.store.replace(REPLICA_SETS, replica_set | {"status": status | seen})
