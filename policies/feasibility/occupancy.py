"""Who stands on which node, and what the cycle's decisions and the moves in flight take there besides.

A working copy for one decision: `place` adds to it. Nothing is ever freed, as a victim's room is only free once it
has gone: a decision that counted on it would evict the next pod for room that is not there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property

from policies.rails.view import View
from policies.values.clusters import Cluster
from policies.values.nodes import Node
from policies.values.pods import Constraints, Pod
from policies.values.resources import Resources, total


class Occupancy:
    """The pods by node and by namespace, and the free resources of each node, counted when they are asked for."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._planned: dict[str, list[Pod]] = {}
        self._free: dict[str, Resources] = {}
        self.leaving: set[str] = set()

    @property
    def cluster(self) -> Cluster:
        """The snapshot below it all."""
        return self._view.cluster

    def place(self, pod: Pod, node: str) -> None:
        """Take the room of a pod like this on a node, for a replacement that is expected there."""
        coming = replace(pod, uid=f"{pod.uid}+", node=node, terminating=False)
        self._planned.setdefault(node, []).append(coming)
        self._free.pop(node, None)

    def leave(self, pod: Pod) -> None:
        """Note that a pod will go: nobody may rely on it, though its room is not free yet."""
        self.leaving.add(pod.uid)

    def on(self, node: str) -> Iterable[Pod]:
        """Return the pods that take resources on a node, the planned ones included."""
        yield from self._view.pods_on.get(node, ())
        yield from self._planned.get(node, ())

    def planned_on(self, node: str) -> tuple[Pod, ...]:
        """Return the replacements that are expected on a node."""
        return tuple(self._planned.get(node, ()))

    def free(self, node: Node) -> Resources:
        """Return what a node has left by requests, negative where it is over its capacity."""
        if node.name not in self._free:
            used = total(pod.requests for pod in self.on(node.name))
            self._free[node.name] = node.allocatable - used
        return self._free[node.name]

    def stays(self, pod: Pod) -> bool:
        """Tell whether others may rely on a pod being where it is."""
        return not pod.terminating and pod.uid not in self.leaving

    def members(self, namespace: str) -> Iterable[Pod]:
        """Return the bound pods of a namespace, the planned ones included."""
        yield from self._by_namespace.get(namespace, ())
        yield from (pod for pod in self._all_planned() if pod.namespace == namespace)

    def everybody(self) -> Iterable[Pod]:
        """Return all bound pods, the planned ones included."""
        for pods in self._by_namespace.values():
            yield from pods
        yield from self._all_planned()

    def opposed(self) -> Iterable[tuple[Constraints, tuple[Pod, ...]]]:
        """Return the bound pods with required anti-affinity, by their constraints, which a template's pods share."""
        yield from self._opposed
        yield from ((pod.constraints, (pod,)) for pod in self._all_planned() if pod.constraints.anti_affinity)

    def _all_planned(self) -> Iterable[Pod]:
        return (pod for pods in self._planned.values() for pod in pods)

    @cached_property
    def _by_namespace(self) -> Mapping[str, list[Pod]]:
        groups: dict[str, list[Pod]] = {}
        for node in self.cluster.nodes:
            for pod in self._view.pods_on.get(node, ()):
                groups.setdefault(pod.namespace, []).append(pod)
        return groups

    @cached_property
    def _opposed(self) -> tuple[tuple[Constraints, tuple[Pod, ...]], ...]:
        groups: dict[int, list[Pod]] = {}
        for pods in self._by_namespace.values():
            for pod in pods:
                if pod.constraints.anti_affinity:
                    groups.setdefault(id(pod.constraints), []).append(pod)
        return tuple((pods[0].constraints, tuple(pods)) for pods in groups.values())
