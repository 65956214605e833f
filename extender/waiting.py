"""Which pods the active plan left no node, which of them are held, and who asked for a preemption since when.

Whoever uses these sees to it that one call is over before the next begins. Times are monotonic seconds. Nothing is
decided here, and nobody woken.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Final

# kube-scheduler asks within 5:30 by itself: whoever did not is gone.
_ASKS_WITHIN: Final = 360.0
# Our watch knows of a pod by then that kube-scheduler asks about: who is not known waits no more.
_KNOWN_AFTER: Final = 10.0
# Thousands may wait, each kept from hundreds of nodes: then one says that any of them may change its answer.
_MOST_NODES: Final = 16
# By then the pod's own PodScheduled condition tells that its time is long over.
_FORGOTTEN_AFTER: Final = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """One pod: when it was refused every node, whether as one that is held, and the nodes that claims kept from it.

    `claimed` None are too many to be named.
    """

    at: float
    held: bool = False
    claimed: frozenset[str] | None = frozenset()

    @staticmethod
    def of(at: float, *, held: bool, claimed: Collection[str]) -> "Wait":
        """Return a wait that takes little memory, however many nodes are claimed."""
        return Wait(at=at, held=held, claimed=frozenset(claimed) if len(claimed) <= _MOST_NODES else None)


class Waiting:
    """The waiting pods by UID: they sleep until somebody wakes them."""

    def __init__(self) -> None:
        self._waits: dict[str, Wait] = {}
        self._held: set[str] = set()  # a blocking run may hold thousands, and each that asks wants to know how many

    def __len__(self) -> int:
        return len(self._waits)

    def put(self, uid: str, wait: Wait) -> None:
        """Note that a pod was refused every node."""
        self._waits[uid] = wait
        if wait.held:
            self._held.add(uid)
        else:
            self._held.discard(uid)

    def forget(self, uid: str) -> None:
        """Drop a pod that may go somewhere, is bound or gone."""
        self._waits.pop(uid, None)
        self._held.discard(uid)

    def release(self) -> None:
        """Let nobody count as held: another plan decides anew who is, as each pod asks."""
        self._waits = {uid: replace(wait, held=False) for uid, wait in self._waits.items()}
        self._held.clear()

    def sweep(self, now: float, *, known: Callable[[str], bool]) -> None:
        """Drop those that would have asked again since, and those of which it is not known that they wait.

        A pod may be gone or bound before a call about it is answered.
        """
        over = {True: _ASKS_WITHIN, False: _KNOWN_AFTER}
        for uid in [uid for uid, wait in self._waits.items() if now > wait.at + over[known(uid)]]:
            self.forget(uid)

    def held(self, *, beside: str = "") -> int:
        """Return how many pods are held, without the one asking."""
        return len(self._held) - (beside in self._held)

    def is_held(self, uid: str) -> bool:
        """Tell whether a pod is held."""
        return uid in self._held

    def kept_by_claims(self, nodes: Iterable[str]) -> bool:
        """Tell whether claims on any of these nodes kept somebody from them."""
        ended = frozenset(nodes)
        return any(wait.claimed is None or not ended.isdisjoint(wait.claimed) for wait in self._waits.values())


class FirstCalls:
    """When each pod first asked for a preemption, by UID."""

    def __init__(self) -> None:
        self._at: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._at)

    def since(self, uid: str, *, now: float) -> float:
        """Return when the pod asked first, which may be now."""
        return self._at.setdefault(uid, now)

    def forget(self, uid: str) -> None:
        """Drop a pod that is bound or gone."""
        self._at.pop(uid, None)

    def sweep(self, now: float) -> None:
        """Drop those that asked too long ago to matter."""
        for uid in [uid for uid, at in self._at.items() if now > at + _FORGOTTEN_AFTER]:
            del self._at[uid]
