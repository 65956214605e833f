"""A plan in force: what is known of the nodes it speaks of and of the pods there, kept up as they change.

Like an occupancy it is somebody's working copy, who sees to it that one change is over before the next begins. Only
the plan's own nodes and kinds of pods cost anything. It decides about nobody.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from policies.plans.quotas import Kind, kind_among, leaving
from policies.plans.reservations import Promise, Reserve, Whom, reserve, shares
from policies.values.nodes import Node
from policies.values.plans import Plan
from policies.values.pods import Pod

# Of this priority everything promised counts.
_LOWEST: Final = -(2**31)


class PlanInForce:
    """One plan. `promised` has the nodes where pods are still to come: it also counts pods that just stay elsewhere.

    `samples` has a pod of each kind that was seen, `repelling` the kinds that keep others away by required
    anti-affinity. `pods` are all there are, bound or not.
    """

    def __init__(self, plan: Plan, nodes: Mapping[str, Node], pods: Iterable[Pod] = ()) -> None:
        self.plan = plan
        self.leaving = leaving(plan)
        self.promised: dict[str, Reserve] = {}
        self.samples: dict[Whom, Pod] = {}
        self.repelling: set[Whom] = set()
        self._shares = shares(plan)
        self._awaited: dict[Whom, dict[str, int]] = {
            promise.whom: {} for share in self._shares.values() for promise in share.promises
        }
        self._controllers = {whom.controller for whom in self._awaited if isinstance(whom, Kind)}
        self._nodes = {name: nodes[name] for name in self._shares if name in nodes}
        self._standing: dict[str, dict[str, Pod]] = {name: {} for name in self._shares}
        self._waiting: dict[str, dict[str, Pod]] = {name: {} for name in self._shares}
        makers = {controller.name for controller in self._controllers}
        for pod in pods:
            # Of 150,000 pods nearly all are nobody's concern, and a look at a name is all that they cost.
            if pod.node in self._standing or pod.owner is None or pod.owner.name in makers or pod.nominated_node:
                self._enter(pod)
        for name in self._shares:
            self._reckon(name)

    def whom(self, pod: Pod) -> Whom | None:
        """Return what the plan knows a pod as, its kind or its UID; None where it does not speak of it."""
        whom = pod.uid if pod.owner is None else kind_among(pod, self._controllers)
        return whom if whom in self._awaited else None

    def places(self, pod: Pod) -> Mapping[str, int]:
        """Return how many pods like this one are still to come, by node; nothing where the plan does not place it."""
        whom = self.whom(pod)
        return {} if whom is None else self._awaited[whom]

    def change(self, before: Pod | None, after: Pod | None) -> bool:
        """Take in a new, changed or deleted pod; tell whether somebody may get in now who could not before."""
        touched = self._touched(before) | self._touched(after)
        for name in touched:
            for uid in {pod.uid for pod in (before, after) if pod is not None}:
                self._standing[name].pop(uid, None)
                self._waiting[name].pop(uid, None)
        if after is not None:
            self._enter(after)
        if not touched or _alike(before, after):
            return False
        return True in {self._reckon(name) for name in touched}

    def node(self, name: str, node: Node | None) -> bool:
        """Take in a new or changed node, None where it is gone; tell whether somebody may get in now."""
        if name not in self._shares:
            return False
        if node is None:
            self._nodes.pop(name, None)
        else:
            self._nodes[name] = node
        return self._reckon(name)

    def _touched(self, pod: Pod | None) -> set[str]:
        names = () if pod is None else (pod.node, pod.nominated_node)
        return {name for name in names if name is not None and name in self._shares}

    def _enter(self, pod: Pod) -> None:
        if pod.node in self._standing:
            self._standing[pod.node][pod.uid] = pod
        elif pod.node is None and pod.nominated_node in self._waiting and not pod.ended:
            self._waiting[pod.nominated_node][pod.uid] = pod
        whom = self.whom(pod)
        if whom is not None and self.samples.setdefault(whom, pod).constraints.anti_affinity:
            self.repelling.add(whom)

    def _reckon(self, name: str) -> bool:
        share, before = self._shares[name], self.promised.get(name)
        now = reserve(share, self._nodes.get(name), self._standing[name], leaving=self.leaving)
        now = replace(now, nominated=tuple(self._unpromised(name, now.promises)))
        for promise in share.promises:
            self._awaited[promise.whom].pop(name, None)
        for promise in now.promises:
            self._awaited[promise.whom][name] = promise.count
        if now.promises:
            self.promised[name] = now
        else:
            self.promised.pop(name, None)
        return _eased(before, self.promised.get(name))

    def _unpromised(self, name: str, promises: Iterable[Promise]) -> Iterator[Pod]:
        """Yield whoever is nominated to a node beyond those whom a promise counts there: each needs its room once."""
        left = {promise.whom: promise.count for promise in promises}
        for pod in self._waiting[name].values():
            whom = self.whom(pod)
            if whom is not None and left.get(whom, 0) > 0:
                left[whom] -= 1
            else:
                yield pod


def _eased(before: Reserve | None, after: Reserve | None) -> bool:
    """Tell whether a node has more room for others than before, more places for its own, or no promise any more."""
    if before is None or after is None:
        return before is not after
    places = {promise.whom: promise.count for promise in before.promises}
    if any(promise.count > places.get(promise.whom, 0) for promise in after.promises):
        return True
    left = before.room(_LOWEST).left
    return any(amount > left.get(name, amount) for name, amount in after.room(_LOWEST).left.items())


def _alike(before: Pod | None, after: Pod | None) -> bool:
    """Tell whether a change of a pod says nothing of room: most are the kubelet's about how it fares."""
    return before is not None and after is not None and _stand(before) == _stand(after)


def _stand(pod: Pod) -> tuple[object, ...]:
    return pod.node, pod.nominated_node, pod.owner, pod.requests, pod.terminating, pod.ended, pod.priority
