"""The model of load: monotone, and never more than there is."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo import load
from demo.load import CPUS, NodeLoad, Pod
from tests.demo.scenery import pod

WANTED = st.floats(0, 100)


@pytest.mark.parametrize(
    ("wanted", "use", "pressure"),
    [(0.0, 0.0, 0.0), (4.0, 0.5, 0.0), (6.8, 0.85, 0.0), (8.0, 1.0, 0.3), (8.4, 1.0, 0.4), (80.0, 1.0, 1.0)],
)
def test_use_saturates_and_pressure_begins_before(wanted: float, use: float, pressure: float) -> None:
    node = NodeLoad(wanted)

    assert node.use == pytest.approx(use)
    assert node.pressure == pytest.approx(pressure)


@given(WANTED, WANTED)
def test_more_demand_never_makes_a_node_better(one: float, other: float) -> None:
    calm, busy = NodeLoad(min(one, other)), NodeLoad(max(one, other))

    assert calm.use <= busy.use <= 1
    assert calm.pressure <= busy.pressure <= 1
    assert calm.latency <= busy.latency < math.inf


@given(st.dictionaries(st.integers(1, 20), st.floats(0.01, 8), min_size=1))
def test_pods_get_together_what_the_node_has_and_nobody_more_than_it_wants(wanted: dict[int, float]) -> None:
    demand = {Pod(f"pod-{number}", "cart", "node-1"): cores for number, cores in wanted.items()}
    node = load.by_node(demand)["node-1"]

    granted = [node.granted(cores) for cores in demand.values()]

    assert sum(granted) == pytest.approx(node.use * CPUS)
    assert all(got <= cores for got, cores in zip(granted, demand.values(), strict=True))


def test_demand_is_summed_by_node() -> None:
    nodes = load.by_node({pod("cart", "node-1"): 1.0, pod("cart", "node-1", 2): 2.0, pod("cart", "node-2"): 0.5})

    assert {name: node.wanted for name, node in nodes.items()} == {"node-1": 3.0, "node-2": 0.5}


@given(st.text(max_size=30), st.floats(0, 2e9))
def test_sway_stays_within_its_share(name: str, moment: float) -> None:
    assert 0.96 <= load.sway(name, moment) <= 1.04
    assert load.sway(name, moment) == load.sway(name, moment)
