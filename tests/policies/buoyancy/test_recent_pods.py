"""Assumed load of all nodes from pods."""

from typing import Any

import numpy as np
import pytest

from policies.buoyancy.recent_pods import Population, full_capacity, loads_of, newest_samples
from policies.buoyancy.scores import Anchors
from policies.buoyancy.standing import stand
from policies.values.pods import Phase, Pod
from tests.builders import make_node, make_pod
from tests.policies.buoyancy.histories import NOW, make_saturation, make_signals

NODES = {name: make_node(name) for name in ("n1", "n2")}


def bound(name: str, *, ago: float, node: str = "n1", **changes: Any) -> Pod:
    return make_pod(name, node=node, cpu=500, bound_at=NOW - ago, **changes)


def test_fc_054_pods_just_assigned_are_counted_in_the_filter_and_not_twice() -> None:
    pods = [bound(f"p{number}", ago=10) for number in range(3)]
    before = make_saturation({"cpu": {"n1": [0.7], "n2": [0.2]}}, age=15.0)
    after = make_saturation({"cpu": {"n1": [1.075], "n2": [0.2]}}, age=0.0)
    signals = make_signals("cpu", rate_window=0.0)

    unseen = stand(before, include_slack="off", loads=loads_of(before, signals, Population(nodes=NODES, pods=pods)))
    seen = stand(after, include_slack="off", loads=loads_of(after, signals, Population(nodes=NODES, pods=pods)))

    assert unseen["n1"].filter_buoyancy == pytest.approx(-0.075)
    assert unseen.marked(0.1) == {"n1"}
    assert seen["n1"].filter_buoyancy == pytest.approx(-0.075)


def test_n17_for_a_node_of_a_cluster() -> None:
    saturation = make_saturation({"cpu": {"n1": [0.7], "n2": [0.2]}})
    pods = [bound(f"p{number}", ago=15) for number in range(3)]

    loads = loads_of(saturation, make_signals("cpu"), Population(nodes=NODES, pods=pods))

    assert loads[0].tolist() == pytest.approx([0.28125, 0.0])


def test_pods_that_went_subtract() -> None:
    saturation = make_saturation({"cpu": {"n1": [0.7], "n2": [0.2]}})

    loads = loads_of(saturation, make_signals("cpu"), Population(nodes=NODES, gone=[(bound("p", ago=900), NOW + 1)]))

    assert loads[0].tolist() == pytest.approx([-0.125, 0.0])


def test_ratio_scales_the_request() -> None:
    saturation = make_saturation({"cpu": {"n1": [0.7], "n2": [0.2]}})
    population = Population(
        nodes=NODES, pods=[bound("p", ago=-1)], ratio=lambda pod, _: 0.5 if pod.name == "p" else 1.0
    )

    assert loads_of(saturation, make_signals("cpu"), population)[0, 0] == pytest.approx(0.0625)


@pytest.mark.parametrize(
    "pod",
    [
        bound("old", ago=61),
        bound("ended", ago=-1, phase=Phase.SUCCEEDED),
        bound("elsewhere", ago=-1, node="ghost"),
        make_pod("pending", node=None),
    ],
    ids=lambda pod: pod.name,
)
def test_who_adds_nothing(pod: Pod) -> None:
    saturation = make_saturation({"cpu": {"n1": [0.7], "n2": [0.2]}})

    assert not loads_of(saturation, make_signals("cpu"), Population(nodes=NODES, pods=[pod])).any()


def test_resources_that_do_not_add_up_and_nodes_that_declare_nothing_carry_no_load() -> None:
    saturation = make_saturation({"cpu": {"n1": [0.7], "n2": [0.2]}})
    population = Population(
        nodes={"n2": make_node("n2", cpu=0)}, pods=[bound("p", ago=-1), bound("q", ago=-1, node="n2")]
    )

    assert not loads_of(saturation, make_signals("cpu", additive=False), population).any()
    assert not loads_of(saturation, make_signals("cpu"), population).any()


def test_a_node_of_unknown_age_counts_as_sampled_now() -> None:
    saturation = make_saturation({"cpu": {"n1": [0.7], "n2": [None]}}, age=20.0)

    assert newest_samples(saturation, 0).tolist() == [NOW - 20, NOW]


def test_full_capacity_is_what_a_score_of_1_stands_for() -> None:
    assert full_capacity(make_node(cpu=4000), "cpu", Anchors(0.0, 0.85)) == pytest.approx(3.4)
    assert np.isnan(full_capacity(None, "cpu", Anchors()))
