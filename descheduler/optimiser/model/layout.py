"""The variables of a frame: pods in a cell, those of them that stay, and those without a place."""

from dataclasses import dataclass

import numpy as np

from descheduler.optimiser.model.draft import LEAST, Draft, Sum, Values
from descheduler.optimiser.model.frame import Frame
from descheduler.optimiser.tables import NOWHERE, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Numbers of variables: `put` and `stay` by cell, `out` and `evict` by kind.

    `stay` is `put` itself where nobody can come to a cell, -1 where nobody runs there. `evict` is `out` itself for
    kinds of which all pods run, -1 where none does.
    """

    frame: Frame
    put: list[int]
    stay: list[int]
    out: list[int]
    evict: list[int]
    spare: list[int]

    def arrival(self, cell: int) -> Sum:
        """Return how many pods are new in a cell."""
        put, stay = self.put[cell], self.stay[cell]
        if stay == put:
            return Sum()
        return Sum([put], [1]) if stay < 0 else Sum([put, stay], [1, -1])

    def values(self, where: Ints, draft: Draft) -> Values:
        """Return every variable's value in a plan that agrees with the frame outside it."""
        values = [0] * draft.size
        counts = self.counts(where)
        for cell, count in enumerate(counts.tolist()):
            values[self.put[cell]] = count
            if self.stay[cell] >= 0:
                values[self.stay[cell]] = min(count, int(self.frame.present[cell]))
        inside = np.bincount(self.frame.kind, weights=counts, minlength=len(self.out)).astype(np.int64)
        for kind, (out, evict) in enumerate(zip(self.out, self.evict, strict=True)):
            values[out] = int(self.frame.count[kind] - inside[kind])
            if evict >= 0:
                values[evict] = values[out] if evict == out else max(0, values[out] - self.spare[kind])
        for variable, derive in draft.derived:
            values[variable] = derive(values)
        return values

    def plan(self, values: Values) -> Ints:
        """Return the plan that the variables say; who is who within a class is open."""
        frame = self.frame
        where = frame.where.copy()
        kinds = frame.cast.classes.of[frame.pods]
        order = frame.pods[np.argsort(kinds, kind="stable")]
        start = np.concatenate([[0], np.cumsum(frame.count)])
        where[order] = NOWHERE
        counts = np.array([values[variable] for variable in self.put], dtype=np.int64)
        nodes = np.repeat(frame.nodes, counts)
        inside = np.bincount(frame.kind, weights=counts, minlength=len(self.out)).astype(np.int64)
        # Cells come kind by kind, and so do the free pods: each kind's first pods take its cells in turn.
        first = np.repeat(start[:-1], inside)
        within = np.arange(len(nodes)) - np.repeat(np.cumsum(inside) - inside, inside)
        where[order[first + within]] = nodes
        return where

    def counts(self, where: Ints) -> Ints:
        """Return how many pods of each cell a plan has there."""
        frame = self.frame
        classes, tables = frame.cast.classes, frame.cast.tables
        placed = frame.pods[where[frame.pods] >= 0]
        keys, counts = np.unique(classes.keys(tables, where)[placed], return_counts=True)
        wanted = frame.kinds[frame.kind] * len(tables.room) + frame.nodes
        if not len(keys):
            return np.zeros(len(wanted), dtype=np.int64)
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[at] == wanted, counts[at], 0)


def lay_out(draft: Draft, frame: Frame) -> Layout:
    """Add the variables of a frame."""
    classes = frame.cast.classes
    most, present = frame.most.tolist(), frame.present.tolist()
    put = list(draft.variables(most))
    stay = [
        -1 if not here else (variable if upper <= here else draft.variable(here))
        for variable, upper, here in zip(put, most, present, strict=True)
    ]
    for here, there in zip(stay, put, strict=True):
        if here not in {-1, there}:
            draft.row([here, there], [1, -1], least=LEAST, most=0)
    out = list(draft.variables(frame.count.tolist()))
    missing = classes.of[(frame.where < 0) & ~frame.free]
    beyond = np.bincount(missing, minlength=len(classes))[frame.kinds]
    # Evicted are those without a place beyond the pending ones: max(0, all without a place - pending).
    spare = (classes.size - classes.run)[frame.kinds] - beyond
    running = classes.run[frame.kinds]
    evict = [-1] * len(out)
    for kind, (able, free) in enumerate(zip(running.tolist(), spare.tolist(), strict=True)):
        if able and not free:
            evict[kind] = out[kind]
        elif able:
            evict[kind] = draft.variable(max(0, int(frame.count[kind]) - free))
            draft.row([out[kind], evict[kind]], [1, -1], least=LEAST, most=free)
    return Layout(frame=frame, put=put, stay=stay, out=out, evict=evict, spare=spare.tolist())
