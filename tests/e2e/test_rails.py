"""Who goes from a hot node and who does not, and what is said of it, in one run of the pair."""

from collections.abc import Callable

import pytest

from controlplane.clusters import ControlPlane
from controlplane.exporter import Exporter
from controlplane.programs.prometheus import Prometheus
from tests.e2e import hot_nodes
from tests.e2e.hot_nodes import AFTER, GOING, PROTECTED, TAKERS, Minute

WINDOW = 4.0  # seconds, of the rates of `CPU`

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def minute(plane: ControlPlane, exporter: Exporter, prometheus: Prometheus) -> Minute:
    """What one run left behind, for all tests of this file."""
    return hot_nodes.run(plane, exporter, prometheus)


@pytest.mark.parametrize(("case", "rail"), PROTECTED.items())
def test_a_protected_pod_stays_and_the_refusal_names_its_rail_everywhere(minute: Minute, case: str, rail: str) -> None:
    pod = minute.pods[case]

    assert pod not in minute.evicted
    assert f"/{pod} refused by {rail}: " in minute.log
    assert [message for message in minute.told[pod] if message.startswith(f"not evicted ({rail}): ")]
    assert minute.refused[rail] >= 1
    assert minute.decided[pod] == rail


def test_only_those_go_whom_nothing_protects(minute: Minute) -> None:
    spent = {minute.pods["spent-1"], minute.pods["spent-2"]} - {minute.pods["spent"]}

    assert sorted(minute.evicted) == sorted({*spent, *(minute.pods[app] for app in GOING)}), minute.decisions()


def test_the_biggest_takers_go_one_a_cycle_until_the_node_floats(minute: Minute) -> None:
    takers = [minute.pods[app] for app in TAKERS]
    node = minute.nodes["float"]

    assert [pod for pod in minute.evicted if pod in takers] == [minute.pods[app] for app in GOING], minute.decisions()
    cycles = [cycle.count(f" evicted from {node} to ") for cycle in minute.log.split(" cycle: ")]
    assert sorted(cycles, reverse=True)[:3] == [1, 1, 0]
    assert minute.use[node] < 0.7


def test_a_node_that_is_hot_for_a_moment_loses_nobody(
    minute: Minute, record_property: Callable[[str, object], None]
) -> None:
    pod, node = minute.pods["brief"], minute.nodes["brief"]

    record_property("seconds oversubscribed", minute.hot[node])
    assert 0 < minute.hot[node] < AFTER
    assert f"/{pod} refused" not in minute.log
    assert pod not in {*minute.told, *minute.evicted}


def test_a_node_with_pressure_but_low_use_is_left_alone(minute: Minute) -> None:
    pod, node = minute.pods["calm"], minute.nodes["calm"]

    # a scrape that came late may show in a rate for as long as its window
    assert minute.hot.get(node, 0.0) <= WINDOW < AFTER
    assert minute.use[node] == pytest.approx(0.3, abs=0.1)
    assert f"/{pod} refused" not in minute.log
    assert pod not in {*minute.told, *minute.evicted}
