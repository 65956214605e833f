"""The paper's example twice, side by side, so that a plan has two moves and something can happen between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from controlplane.waiting import wait_until
from tests.e2e.planning import Lot, Planning, small

_LABEL = "pair"
LATE = ("late-a", "late-b")
MOVED = ("moved-a", "moved-b")


@dataclass(frozen=True)
class Pair:
    """One example: `moved` stands on `full` and is to go to `free`, so that `late` gets its place."""

    free: str
    full: str
    moved: str
    late: str
    group: str

    @property
    def where(self) -> dict[str, Any]:
        """Return what keeps its pods on its nodes, as fields of their spec."""
        return {"nodeSelector": {_LABEL: self.group}}


def settle(plans: Planning, *, count: int = 2, grace: int = 1, kind: str = "Deployment") -> list[Pair]:
    """Lay out so many examples, each on nodes of its own; moved pods take `grace` seconds to end.

    The pods that are late come with `late`.
    """
    nodes = plans.scene.nodes(2 * count, small())
    pairs = [_pair(plans, number, *nodes[2 * number : 2 * number + 2]) for number in range(count)]
    plans.lay_out(*(lot for number, pair in enumerate(pairs) for lot in _lots(number, pair, grace=grace, kind=kind)))
    return pairs


def _pair(plans: Planning, number: int, free: str, full: str) -> Pair:
    group = f"{plans.scene.name}-{number}"
    for node in (free, full):
        plans.api.patch(f"/api/v1/nodes/{node}", {"metadata": {"labels": {_LABEL: group}}})
    return Pair(free=free, full=full, moved=MOVED[number], late=LATE[number], group=group)


def _lots(number: int, pair: Pair, *, grace: int, kind: str) -> list[Lot]:
    ending = pair.where | {"terminationGracePeriodSeconds": grace}
    return [
        Lot(name=f"first-{number}", cpu="400m", nodes=[pair.free], spec=pair.where),
        Lot(name=f"second-{number}", cpu="300m", nodes=[pair.full], spec=pair.where),
        Lot(name=pair.moved, cpu="400m", nodes=[pair.full], kind=kind, spec=ending),
    ]


def late(plans: Planning, pairs: Sequence[Pair], **spec: Any) -> None:  # fields of the pods' spec
    """Let the pods come that fit nowhere, and wait until kube-scheduler has said so."""
    for pair in pairs:
        plans.workload(pair.late, 1, "700m", **pair.where, **spec)
    wait_until(lambda: all(plans.unschedulable(pair.late) for pair in pairs), "the late pods to be refused")


def as_planned(plans: Planning, pairs: Sequence[Pair]) -> None:
    """Wait until everybody is where the plan wants it."""
    for pair in pairs:
        plans.wait_on(pair.moved, pair.free)
        plans.wait_on(pair.late, pair.full)


def all_bound(plans: Planning, pairs: Sequence[Pair], *others: str) -> None:
    """Bring nodes with room for everybody, and wait until nobody waits: nothing is kept back any more."""
    room(plans, *pairs)
    for app in (*(name for pair in pairs for name in (pair.moved, pair.late)), *others):
        plans.scene.wait_ready(app, 1, timeout=60)


def room(plans: Planning, *pairs: Pair) -> None:
    """Bring a node with room for all pods of each of these examples."""
    for pair, node in zip(pairs, plans.scene.nodes(len(pairs)), strict=True):
        plans.api.patch(f"/api/v1/nodes/{node}", {"metadata": {"labels": {_LABEL: pair.group}}})
