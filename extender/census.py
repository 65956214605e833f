"""Nodes, and the pods on them, as the watches tell: who is where, who came or went lately, what workloads request.

One writer a kind, the watch on it; requests only look up. Nothing is measured here.
"""

import sys
import threading
from collections import Counter, deque
from collections.abc import Iterable, Mapping

from policies.placement.expected_load import Resident, Turn
from policies.placement.steering import workload_of
from policies.values.nodes import Node
from policies.values.pods import Pod


class Census:
    """Pods by UID while they have not ended, apart by whether they stand on a node; who came or ended there lately.

    There is a turn for each that did within `memory`.
    """

    def __init__(self, *, memory: float = 900.0) -> None:
        self.nodes: dict[str, Node] = {}
        self._residents: dict[str, Resident] = {}
        self._pending: dict[str, Pod] = {}
        self._turns: dict[str, deque[Turn]] = {}
        self._requested: dict[str, Counter[str]] = {}
        self._memory = memory
        self._lock = threading.Lock()

    def pod(self, uid: str) -> Pod | None:
        """Return a pod that stands on a node."""
        resident = self._residents.get(uid)
        return None if resident is None else resident.pod

    def waits(self, uid: str) -> bool:
        """Tell whether a pod is known to wait for a node."""
        return uid in self._pending

    def residents(self, uids: Iterable[str]) -> list[Resident | None]:
        """Return pods that stand on a node with their workloads, None for each that does not."""
        return [*map(self._residents.get, uids)]

    def pods(self) -> list[Pod]:
        """Return every pod that stands on a node."""
        with self._lock:
            return [resident.pod for resident in self._residents.values()]

    def pending(self) -> list[Pod]:
        """Return every pod that waits for a node."""
        with self._lock:
            return [*self._pending.values()]

    def __len__(self) -> int:
        return len(self._residents)

    def put(self, pod: Pod, *, now: float) -> str | None:
        """Take in a new or changed pod; return its node if it came or ended there just now."""
        with self._lock:
            if pod.node is None and not pod.ended:
                self._pending[pod.uid] = pod
            else:
                self._pending.pop(pod.uid, None)
            if pod.node is None or pod.ended:
                return self._leave(pod.uid, now)
            known = self._residents.get(pod.uid)
            resident = self._residents[pod.uid] = Resident(pod, sys.intern(workload_of(pod)))
            if known is None:
                return self._come(resident, now)
            if known.pod.requests is not pod.requests or known.workload != resident.workload:
                self._count(known, -1)
                self._count(resident, 1)
            return None

    def remove(self, uid: str, *, now: float) -> str | None:
        """Forget a deleted pod; return its node."""
        with self._lock:
            self._pending.pop(uid, None)
            return self._leave(uid, now)

    def turns(self, node: str) -> tuple[Turn, ...]:
        """Return who came to a node or ended there within memory."""
        with self._lock:
            return tuple(self._turns.get(node, ()))

    def all_turns(self, *, now: float) -> list[Turn]:
        """Return all turns within memory, and drop the older ones."""
        with self._lock:
            for node, turns in list(self._turns.items()):
                while turns and turns[0].at < now - self._memory:
                    turns.popleft()
                if not turns:
                    del self._turns[node]
            return [turn for turns in self._turns.values() for turn in turns]

    def requested(self) -> Mapping[str, Mapping[str, int]]:
        """Return what the pods of each workload (`namespace/name`) request in sum, by resource."""
        with self._lock:
            return {workload: dict(amounts) for workload, amounts in self._requested.items()}

    def _come(self, resident: Resident, now: float) -> str | None:
        self._count(resident, 1)
        pod, workload = resident
        # Set at creation, a node's name leaves no binding behind; such a pod came when it was made.
        at = pod.created_at if pod.bound_at is None else pod.bound_at
        return self._turn(Turn(at, pod, workload), now)

    def _leave(self, uid: str, now: float) -> str | None:
        resident = self._residents.pop(uid, None)
        if resident is None:
            return None
        self._count(resident, -1)
        return self._turn(Turn(now, *resident, ended=True), now)

    def _turn(self, turn: Turn, now: float) -> str | None:
        if turn.pod.node is None or turn.at < now - self._memory:
            return None
        self._turns.setdefault(turn.pod.node, deque()).append(turn)
        return turn.pod.node

    def _count(self, resident: Resident, sign: int) -> None:
        pod, workload = resident
        amounts = self._requested.setdefault(workload, Counter())
        for resource, amount in pod.requests.amounts.items():
            amounts[resource] += sign * amount
        if not any(amounts.values()):
            del self._requested[workload]
