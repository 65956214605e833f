"""The paper's example twice, side by side, so that a plan has two moves and something can happen between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from controlplane.waiting import wait_until
from launching.services import Service
from tests.e2e.planning import Lot, Planning, small
from tests.e2e.services import Extender

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


@dataclass(frozen=True, kw_only=True)
class Stage:
    """The examples with the extender before them, under a policy that lets any pod go; the late pods were refused."""

    policy: dict[str, Any]
    pairs: list[Pair]
    extender: Extender


@dataclass(frozen=True, kw_only=True)
class Running:
    """One example with both services before it: its plan has begun."""

    pair: Pair
    extender: Extender
    descheduler: Service


def set_up(plans: Planning, *, count: int = 2, grace: int = 1, **plan: Any) -> Stage:  # further fields of `plan`
    """Bring so many examples to where they need a plan; a descheduler is still to come."""
    policy = _policy(plans, **plan)
    extender = plans.launch_extender(policy)
    pairs = settle(plans, count=count, grace=grace)
    plans.serve(extender)
    late(plans, pairs)
    return Stage(policy=policy, pairs=pairs, extender=extender)


def run(plans: Planning, *, moment: str = "", grace: int = 1, **plan: Any) -> Running:  # further fields of `plan`
    """Bring one example to where it needs a plan, with the descheduler there already; `moment` as in `plan_for`."""
    policy = _policy(plans, **plan)
    extender, descheduler = plans.launch_extender(policy), plans.launch_descheduler(policy, moment=moment)
    (pair,) = settle(plans, count=1, grace=grace)
    plans.serve(extender)
    descheduler.program.wait_ready()
    late(plans, [pair])
    return Running(pair=pair, extender=extender, descheduler=descheduler)


def _policy(plans: Planning, **plan: Any) -> dict[str, Any]:  # further fields of `plan`
    plans.rules = plans.floor(0)
    return plans.policy(eviction={"minReadyReplicas": 0}, **plan)


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
    plans.end_terminating()
    for app in (*(name for pair in pairs for name in (pair.moved, pair.late)), *others):
        plans.scene.wait_ready(app, 1, timeout=60)


def room(plans: Planning, *pairs: Pair) -> None:
    """Bring a node with room for all pods of each of these examples."""
    for pair, node in zip(pairs, plans.scene.nodes(len(pairs)), strict=True):
        plans.api.patch(f"/api/v1/nodes/{node}", {"metadata": {"labels": {_LABEL: pair.group}}})
