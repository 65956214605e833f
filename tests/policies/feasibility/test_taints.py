"""Hard taints and what tolerates them."""

import pytest

from policies.values.nodes import Taint
from policies.values.pods import Toleration
from tests.builders import make_node, make_pod
from tests.policies.feasibility.places import closed, limited, occupied

GPU = Taint("dedicated", "gpu", "NoSchedule")


def _closed(taint: Taint, *tolerations: Toleration) -> dict[str, str]:
    pod = make_pod(constraints=limited(tolerations=tolerations))
    return closed(pod, occupied([make_node("n1"), make_node("n2", taints=(taint,))]))


@pytest.mark.parametrize(
    "toleration",
    [
        Toleration("dedicated", "Equal", "gpu", "NoSchedule"),
        Toleration("dedicated", "", "gpu", ""),
        Toleration("dedicated", "Exists"),
        Toleration(operator="Exists"),
        Toleration(operator="Exists", effect="NoSchedule"),
    ],
)
def test_tolerated_taint_does_not_close_the_node(toleration: Toleration) -> None:
    assert _closed(GPU, toleration) == {}


@pytest.mark.parametrize(
    "toleration",
    [
        Toleration("dedicated", "Equal", "cpu", "NoSchedule"),
        Toleration("dedicated", "Equal", "gpu", "NoExecute"),
        Toleration("other", "Exists"),
        Toleration("", "Equal", "gpu"),
        Toleration("dedicated", "Gt", "gpu"),
    ],
)
def test_other_tolerations_leave_it_closed(toleration: Toleration) -> None:
    assert _closed(GPU, toleration) == {"n2": "taints: taint dedicated"}


def test_no_execute_closes_and_prefer_no_schedule_does_not() -> None:
    assert _closed(Taint("a", "", "NoExecute")) == {"n2": "taints: taint a"}
    assert _closed(Taint("a", "", "PreferNoSchedule")) == {}


def test_every_hard_taint_must_be_tolerated() -> None:
    pod = make_pod(constraints=limited(tolerations=(Toleration("dedicated", "Exists"),)))
    nodes = [make_node("n2", taints=(GPU, Taint("zoo", "", "NoExecute")))]

    assert closed(pod, occupied(nodes)) == {"n2": "taints: taint zoo"}
