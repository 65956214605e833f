"""Taints with NoSchedule or NoExecute keep out every pod that does not tolerate them."""

from collections.abc import Iterator
from typing import Final

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Closure, Predicate
from policies.values.nodes import Taint
from policies.values.pods import Pod, Toleration

_HARD: Final = frozenset({"NoSchedule", "NoExecute"})


def closures(pod: Pod, occupancy: Occupancy) -> Iterator[Closure]:
    """Yield the nodes with a taint that the pod does not tolerate, by taint."""
    for taint, rows in occupancy.rows.tainted.items():
        if not tolerated((taint,), pod.constraints.tolerations):
            yield Closure(f"taint {taint.key}", rows)


def tolerated(taints: tuple[Taint, ...], tolerations: tuple[Toleration, ...]) -> bool:
    """Tell whether every hard taint is covered by one of the tolerations."""
    hard = (taint for taint in taints if taint.effect in _HARD)
    return all(any(_tolerates(toleration, taint) for toleration in tolerations) for taint in hard)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in {"", taint.effect} or toleration.key not in {"", taint.key}:
        return False
    if toleration.operator == "Exists":
        return True
    # An empty key is only allowed with Exists; other operators than these two are not known here and tolerate nothing.
    return toleration.operator in {"", "Equal"} and toleration.key == taint.key and toleration.value == taint.value


TAINTS = Predicate("taints", closures)
