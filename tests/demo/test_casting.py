"""Where the story takes place, wherever the pods are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo import casting, load
from demo.casting import CORES, NoStageError
from demo.load import Pod
from demo.workloads import ENCODER, FRONTEND, SEARCH, WORKLOADS
from tests.demo.scenery import pod

NAMES = [workload.name for workload in WORKLOADS]
PLACEMENTS = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(1, 4)), max_size=30)


def placed(pairs: list[tuple[str, int]]) -> list[Pod]:
    """Return pods on numbered nodes."""
    return [pod(workload, f"node-{node}", number) for number, (workload, node) in enumerate(pairs)]


def wanted(pods: list[Pod], node: str) -> float:
    """Return the usual demand on a node."""
    return sum(CORES[one.workload] for one in pods if one.node == node)


def test_hot_node_is_one_with_a_vetoed_pod_and_a_large_other_one() -> None:
    pods = [pod("encoder", "node-1"), pod("cart", "node-1"), pod("encoder", "node-2"), pod("search", "node-2")]

    surge = casting.heat(pods)

    assert surge.pod == pods[2]
    assert surge.ratio == pytest.approx(1.05)
    assert surge.cores == pytest.approx(8.4 - ENCODER.cores - SEARCH.cores)


def test_node_with_a_frontend_is_not_made_hot() -> None:
    pods = [pod("encoder", "node-1"), pod("search", "node-1"), pod("frontend", "node-1")]

    with pytest.raises(NoStageError, match=r"no node has a pod of encoder, none of frontend.*node-1: encoder, fron"):
        casting.heat(pods)


def test_service_gets_slow_on_the_fullest_node_that_is_not_taken() -> None:
    pods = [
        *(pod(workload, "node-1") for workload in ("frontend", "reports", "search", "cart")),
        *(pod(workload, "node-2") for workload in ("frontend", "reports", "search")),
        *(pod(workload, "node-3") for workload in ("frontend", "reports")),
    ]

    surge = casting.slow(pods, besides={"node-1"})

    assert surge.pod == pods[5]
    assert wanted(pods, "node-2") + surge.cores == pytest.approx(surge.ratio * load.CPUS)


def test_without_a_frontend_beside_reports_nobody_gets_slow() -> None:
    with pytest.raises(NoStageError, match="no node has a pod of frontend beside one of reports: node-2: frontend"):
        casting.slow(
            [pod("frontend", "node-2"), pod("frontend", "node-1"), pod("reports", "node-1")], besides={"node-1"}
        )


@given(PLACEMENTS)
def test_one_move_cures_the_hot_node(pairs: list[tuple[str, int]]) -> None:
    pods = placed(pairs)
    try:
        surge = casting.heat(pods)
    except NoStageError:
        return
    here = [one for one in pods if one.node == surge.pod.node]
    demand = {one: CORES[one.workload] + (surge.cores if one == surge.pod else 0.0) for one in here}
    node = load.by_node(demand)[surge.pod.node]
    largest = max(demand, key=lambda one: demand[one])
    next_largest = max(cores for one, cores in demand.items() if one.workload != ENCODER.name)

    assert 1 - node.use - node.pressure < 0
    assert largest == surge.pod
    assert load.NodeLoad(node.wanted - next_largest).ratio == pytest.approx(0.8)


@given(PLACEMENTS)
def test_slow_node_is_not_oversubscribed(pairs: list[tuple[str, int]]) -> None:
    pods = placed(pairs)
    try:
        surge = casting.slow(pods, besides=())
    except NoStageError:
        return
    node = load.NodeLoad(wanted(pods, surge.pod.node) + surge.cores)

    assert surge.cores > 0
    assert node.pressure == 0
    assert node.latency > 0.25
    assert any(one.workload == FRONTEND.name for one in pods if one.node == surge.pod.node)
