"""Assumed load from the pods that came to a node or ended there lately, for one node or for all of them alike.

`use = request * ratio`, where `ratio` is what the pod's workload uses per requested unit. Only additive resources that
pods can request have one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from policies.buoyancy.assumed_load import Change, Changes, Sampling, assumed, assumed_loads
from policies.buoyancy.capacities import amount, per_unit
from policies.buoyancy.recent_pods import full_capacity, newest_samples
from policies.buoyancy.saturation import Saturation
from policies.buoyancy.scores import Anchors
from policies.model.signals import ResourceSignal, Signals
from policies.values.nodes import Node
from policies.values.pods import Pod
from policies.values.signals import Floats

Ratios: TypeAlias = Mapping[tuple[str, str], float]
Shape: TypeAlias = tuple[int | None, ...]


class Resident(NamedTuple):
    """A pod on a node; `workload` as `workload_of` names it."""

    pod: Pod
    workload: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A pod that came to its node at a time (Unix seconds), or ended there; `workload` as `workload_of` names it."""

    at: float
    pod: Pod
    workload: str
    ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectations:
    """What pods are expected to take: measured saturation, nodes by name, and use per request.

    `ratios` are by workload (`namespace/name`) and resource; a workload without history uses what it requests.
    """

    saturation: Saturation
    signals: Signals
    nodes: Mapping[str, Node]
    ratios: Ratios = field(default_factory=dict)
    _rooms: dict[str, dict[str, float]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _shapes: dict[Shape, dict[str, float]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _additive: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        additive = tuple(name for name, signal in self.signals.resources.items() if signal.additive)
        object.__setattr__(self, "_additive", additive)

    def relief(self, pods: Sequence[Resident], node: str) -> dict[str, float]:
        """Return what a node would be rid of without some pods: the sum of `R_i`, by additive resource they request."""
        rooms = self._rooms.get(node)
        if rooms is None:
            rooms = self._rooms[node] = self._rooms_on(node)
        ratios, uses = self.ratios, dict.fromkeys(rooms, 0.0)
        for pod, workload in pods:
            amounts = pod.requests.amounts
            for resource in rooms:
                requested = amounts.get(resource)
                if requested:
                    uses[resource] += requested * ratios.get((workload, resource), 1.0)
        return {resource: use / rooms[resource] for resource, use in uses.items() if use > 0}

    def most(self, pods: Sequence[Resident], node: str) -> float:
        """Return the largest relief of any resource: no largest score falls by more."""
        return max(self.relief(pods, node).values(), default=0.0)

    def of_node(self, node: str, turns: Sequence[Turn]) -> list[float]:
        """Return `dR` of one node by resource, in the saturation's order."""
        row = self.saturation.row[node]
        return [self._load(k, node, row, turns) for k in range(len(self.saturation.resources))]

    def of_all(self, turns: Iterable[Turn]) -> Floats:
        """Return `dR` of all nodes, resources x nodes, as `of_node` does for one."""
        known = [turn for turn in turns if turn.pod.node in self.saturation.row]
        rows = np.array([self.saturation.row[turn.pod.node or ""] for turn in known], dtype=np.intp)
        at = np.array([turn.at for turn in known], dtype=np.float64)
        loads = np.zeros((len(self.saturation.resources), len(self.saturation.nodes)))
        for k, resource in enumerate(self.saturation.resources):
            signal = self.signals.resources[resource]
            if signal.additive and known:
                loads[k] = assumed_loads(
                    Changes(rows=rows, at=at, use=np.array([self._signed(turn, resource) for turn in known])),
                    newest=newest_samples(self.saturation, k),
                    rate_window=signal.rate_window,
                    full_capacity=self._all_rooms(resource, signal),
                )
        return loads

    def _load(self, k: int, node: str, row: int, turns: Sequence[Turn]) -> float:
        resource = self.saturation.resources[k]
        signal = self.signals.resources[resource]
        if not signal.additive or not turns:
            return 0.0
        newest = self.saturation.newest_sample.item(k, row)
        sampling = Sampling(
            newest=newest if np.isfinite(newest) else self.saturation.now, rate_window=signal.rate_window
        )
        room = full_capacity(self.nodes.get(node), resource, Anchors(signal.zero, signal.full))
        changes = (Change(turn.at, self._signed(turn, resource)) for turn in turns)
        return assumed(changes, sampling=sampling, full_capacity=room)

    def _signed(self, turn: Turn, resource: str) -> float:
        use = self._use(turn.pod, turn.workload, resource)
        return -use if turn.ended else use

    def _use(self, pod: Pod, workload: str, resource: str) -> float:
        """Return what a pod is expected to take of a resource, in cores or base units."""
        requested = amount(pod.requests, resource)
        return requested * self.ratios.get((workload, resource), 1.0) if requested else 0.0

    def _rooms_on(self, node: str) -> dict[str, float]:
        """Return what a score of 1 stands for on a node in requests' units, by additive resource that it declares.

        Of a thousand nodes most have the same shape, so that a first look at each after a poll costs little.
        """
        known = self.nodes.get(node)
        if known is None:
            return {}
        shape = tuple(map(known.allocatable.amounts.get, self._additive))
        rooms = self._shapes.get(shape)
        if rooms is None:
            rooms = self._shapes[shape] = self._rooms_of(known)
        return rooms

    def _rooms_of(self, node: Node) -> dict[str, float]:
        signals = {resource: self.signals.resources[resource] for resource in self._additive}
        rooms = {
            resource: full_capacity(node, resource, Anchors(signal.zero, signal.full)) * per_unit(resource)
            for resource, signal in signals.items()
        }
        return {resource: room for resource, room in rooms.items() if room > 0}

    def _all_rooms(self, resource: str, signal: ResourceSignal) -> Floats:
        anchors = Anchors(signal.zero, signal.full)
        return np.array([full_capacity(self.nodes.get(name), resource, anchors) for name in self.saturation.nodes])
