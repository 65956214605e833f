"""A plan being built pod by pod, with the room that is left; every change can be taken back."""

from collections.abc import Mapping

import numpy as np

from descheduler.optimiser.tables import NOWHERE, Bools, Ints, Tables, covers, shares
from descheduler.optimiser.ties.tie import Tie


class State:
    """Where every pod is, and what is free. A victim without a place stands on its node, whose room stays taken."""

    def __init__(self, tables: Tables, ties: Mapping[int, list[Tie]], limit: int | None) -> None:
        self.tables = tables
        self.where: Ints = tables.origin.copy()
        self.free: Ints = tables.room.copy()
        placed = self.where >= 0
        np.subtract.at(self.free, self.where[placed], tables.requests[placed])
        self.size = (tables.requests * tables.scale).sum(axis=1)
        self.by_size: Ints = np.argsort(self.size, kind="stable")
        self._ties = ties
        self._limit = limit
        self._home = tables.home
        self._left = tables.left.tolist()
        self._disruptions = 0
        self._journal: list[tuple[int, int]] = []
        for pod, tied in ties.items():
            for tie in tied:
                tie.change(pod, NOWHERE, self._home[pod])

    @property
    def tied(self) -> bool:
        """Whether any pod has a tie."""
        return bool(self._ties)

    def mark(self) -> int:
        """Return a point that `undo` can go back to."""
        return len(self._journal)

    def changed(self, mark: int) -> list[tuple[int, int]]:
        """Return the pods that were given other places since the mark, each with its place now."""
        pods = dict.fromkeys(pod for pod, _ in self._journal[mark:])
        return [(pod, int(self.where[pod])) for pod in pods]

    def undo(self, mark: int) -> None:
        """Take back every change since the mark."""
        while len(self._journal) > mark:
            pod, place = self._journal.pop()
            self._put(pod, place)

    def move(self, pod: int, place: int) -> None:
        """Give a pod another place, or none."""
        self._journal.append((pod, int(self.where[pod])))
        self._put(pod, place)

    def holds(self, mark: int) -> bool:
        """Whether all ties of the pods changed since the mark hold, and the limit of disruptions does."""
        if self._limit is not None and self._disruptions > self._limit:
            return False
        changed = {pod for pod, _ in self._journal[mark:] if pod in self._ties}
        return all(tie.holds() for pod in changed for tie in self._ties[pod])

    def adopt(self, where: Ints) -> None:
        """Go over to another plan of the same pods, for good; this looks at nobody who stays where he is."""
        for pod in np.flatnonzero(where != self.where).tolist():
            self._put(pod, NOWHERE)
        for pod in np.flatnonzero(where != self.where).tolist():
            self._put(pod, int(where[pod]))
        self._journal.clear()

    def open_to(self, pod: int) -> Bools:
        """Return the nodes with room for a pod that has no place, where nothing known forbids it."""
        tables = self.tables
        home = int(tables.origin[pod])
        mask = tables.masks[tables.mask_of[pod]]
        if home >= 0 and not mask[home]:
            mask = mask.copy()
            mask[home] = True
        fits: Bools = mask & covers(self.free, tables.requests[pod])
        return fits & ~self.blocked(pod) if pod in self._ties else fits

    def blocked(self, pod: int) -> Bools:
        """Return where ties forbid a pod without a place to go; its own node is never forbidden."""
        blocked = np.zeros(len(self.free), dtype=np.bool_)
        for tie in self._ties.get(pod, ()):
            stands = self._stand(pod, NOWHERE)
            tie.change(pod, stands, NOWHERE)
            found = tie.blocked(pod)
            tie.change(pod, NOWHERE, stands)
            if found is not None:
                blocked[found] = True
        if self.tables.origin[pod] >= 0:
            blocked[self.tables.origin[pod]] = False
        return blocked

    def best(self, pod: int, but: int = NOWHERE) -> int:
        """Return the fullest node with room for a pod without a place, other than one, `NOWHERE` if there is none."""
        fits = self.open_to(pod)
        if but >= 0:
            fits[but] = False
        found = np.flatnonzero(fits)
        if not len(found):
            return NOWHERE
        left = shares(self.free, self.tables.scale)[found]
        return int(found[left.argmin()])

    def settle(self, pod: int, but: int = NOWHERE) -> bool:
        """Give a pod without a place the best one, other than one node; without one nothing changes."""
        if (place := self.best(pod, but)) < 0:
            return False
        mark = self.mark()
        self.move(pod, place)
        if self.holds(mark):
            return True
        self.undo(mark)
        return False

    def send_home(self, pod: int) -> bool:
        """Let a moved pod return to where it runs; without the room for it nothing changes."""
        mark, home = self.mark(), int(self.tables.origin[pod])
        self.move(pod, NOWHERE)
        if self.open_to(pod)[home]:
            self.move(pod, home)
            if self.holds(mark):
                return True
        self.undo(mark)
        return False

    def _stand(self, pod: int, place: int) -> int:
        return self._left[pod] if place < 0 else place

    def _put(self, pod: int, place: int) -> None:
        old = int(self.where[pod])
        request = self.tables.requests[pod]
        if old >= 0:
            self.free[old] += request
        if place >= 0:
            self.free[place] -= request
        self.where[pod] = place
        home, before, after = self._home[pod], self._stand(pod, old), self._stand(pod, place)
        self._disruptions += (0 <= home != after) - (0 <= home != before)
        for tie in self._ties.get(pod, ()):
            tie.change(pod, before, after)
