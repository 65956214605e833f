"""Taints with NoSchedule or NoExecute keep out every pod that does not tolerate them."""

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Predicate, Test
from policies.values.nodes import Node, Taint
from policies.values.pods import Pod, Toleration

_HARD = frozenset({"NoSchedule", "NoExecute"})


def against(pod: Pod, _occupancy: Occupancy) -> Test:
    """Return the test of a node's taints."""
    tolerations = pod.constraints.tolerations

    def test(node: Node) -> str | None:
        key = untolerated(node.taints, tolerations)
        return None if key is None else f"taint {key}"

    return test


def untolerated(taints: tuple[Taint, ...], tolerations: tuple[Toleration, ...]) -> str | None:
    """Return the key of the first hard taint that none of the tolerations covers."""
    for taint in taints:
        if taint.effect in _HARD and not any(_tolerates(toleration, taint) for toleration in tolerations):
            return taint.key
    return None


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in {"", taint.effect} or toleration.key not in {"", taint.key}:
        return False
    if toleration.operator == "Exists":
        return True
    # An empty key is only allowed with Exists; other operators than these two are not known here and tolerate nothing.
    return toleration.operator in {"", "Equal"} and toleration.key == taint.key and toleration.value == taint.value


TAINTS = Predicate("taints", against)
