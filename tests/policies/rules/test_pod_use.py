"""Which pod vectors are asked for, and the scores made of them."""

import pytest

from policies.model.signals import ResourceSignal, Signals
from policies.rules import pod_use
from policies.values.signals import Grid
from tests.builders import make_node, make_pod
from tests.policies.buoyancy.histories import make_grid
from tests.policies.rules.worlds import Given, make_policy, make_slo, steady

PODS = (make_pod("web-0", node="n1"), make_pod("web-1", node="n2"))


def given(cpu: float = 0.5, llc: float = 0.4, slack: float = 0.3) -> Given:
    return Given(
        policy=make_policy("cpu", "llc", slos=[make_slo()]),
        scores={"cpu": {"n1": steady(cpu), "n2": steady(0.2)}, "llc": {"n1": steady(llc), "n2": steady(0.2)}},
        slack={"p99": {"default/web-0": steady(slack)}},
        pods=PODS,
    )


def test_nothing_is_asked_for_while_nobody_is_in_trouble() -> None:
    assert pod_use.wanted(given().world()) == frozenset()


@pytest.mark.parametrize(("cpu", "llc", "wanted"), [(1.2, 0.4, "cpu"), (1.1, 1.3, "llc")])
def test_the_contested_resource_of_an_oversubscribed_node_is_asked_for(cpu: float, llc: float, wanted: str) -> None:
    assert pod_use.wanted(given(cpu, llc).world()) == {wanted}


@pytest.mark.parametrize(
    ("signals", "wanted"),
    [
        (Signals(resources={"cpu": ResourceSignal(node="q", age="q", additive=True)}), set()),
        (Signals(source="metrics-server", resources={"cpu": ResourceSignal(full=0.85, additive=True)}), {"cpu"}),
    ],
    ids=["no query for pods", "metrics-server knows pods without a query"],
)
def test_only_what_is_measured_is_asked_for(signals: Signals, wanted: set[str]) -> None:
    policy = make_policy("cpu").model_copy(update={"signals": signals})
    hot = {"cpu": {"n1": steady(1.2), "n2": steady(0.2)}}

    assert pod_use.wanted(Given(policy=policy, scores=hot, pods=PODS).world()) == wanted


def test_so_is_the_one_of_a_node_on_which_somebody_breaches() -> None:
    assert pod_use.wanted(given(llc=0.6, slack=-0.2).world()) == {"llc"}


def test_only_the_pods_of_such_a_node_are_compared() -> None:
    assert pod_use.compared(given().world()) == frozenset()
    assert pod_use.compared(given(cpu=1.2).world()) == {"default/web-0"}
    assert pod_use.compared(given(llc=0.6, slack=-0.2).world()) == {"default/web-0"}


def test_cores_become_shares_of_the_pods_own_node() -> None:
    nodes = [make_node("n1", cpu=4000), make_node("n2", cpu=16000), make_node("n3")]
    world = Given(policy=make_policy("cpu"), scores={"cpu": {}}, pods=PODS, nodes=nodes, columns=1).world()
    grid = make_grid({"default/web-0": [2.0], "default/web-1": [2.0], "default/ghost": [2.0]})

    assert pod_use.pod_scores(world, grid, resource="cpu") == pytest.approx(
        {"default/web-0": 0.5, "default/web-1": 0.125}
    )


def test_pods_of_nodes_without_capacity_or_without_a_value_have_no_score() -> None:
    world = Given(policy=make_policy("cpu"), scores={"cpu": {}}, pods=PODS, nodes=[make_node("n1", cpu=0)], columns=1)
    grid = make_grid({"default/web-0": [2.0], "default/web-1": [None]})

    assert pod_use.pod_scores(world.world(), grid, resource="cpu") == {}


def test_a_query_that_gave_nothing_scores_nobody() -> None:
    assert pod_use.pod_scores(given().world(), Grid.empty(), resource="cpu") == {}
