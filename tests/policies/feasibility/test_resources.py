"""Room by requests: every resource, pod slots, extended ones, and what planned moves take."""

import pytest

from policies.values.pods import Phase, Pod
from policies.values.resources import PODS
from tests.builders import GIB, make_node, make_pod, make_resources
from tests.policies.feasibility.places import closed, occupied


def _wanting(**amounts: int) -> Pod:
    return make_pod(requests=make_resources(**amounts, **{PODS: 1}))


def test_pod_that_fills_a_node_exactly_fits() -> None:
    others = [make_pod("api-0", node="n2", workload="api", cpu=3500)]

    assert closed(make_pod(cpu=500), occupied([make_node("n2")], others)) == {}
    assert closed(make_pod(cpu=501), occupied([make_node("n2")], others)) == {"n2": "resources: not enough cpu"}


def test_fc_021_memory_decides_where_cpu_would_fit() -> None:
    full = [make_pod(f"db-{n}", node=n, requests=make_resources(memory=7 * GIB)) for n in ("n2", "n3")]
    pod = _wanting(memory=2 * GIB)

    shut = closed(pod, occupied([make_node("n2"), make_node("n3")], full))

    assert shut == {"n2": "resources: not enough memory", "n3": "resources: not enough memory"}


def test_pod_slots_are_a_resource() -> None:
    others = [make_pod(f"api-{n}", node="n2", workload="api", cpu=1) for n in range(3)]

    assert closed(make_pod(), occupied([make_node("n2", pods=3)], others)) == {"n2": "resources: no free pod slot"}


def test_extended_resource_that_a_node_does_not_have() -> None:
    pod = _wanting(**{"example.com/gpu": 1})
    nodes = [make_node("n1"), make_node("n2", extended={"example.com/gpu": 1})]

    assert closed(pod, occupied(nodes)) == {"n1": "resources: not enough example.com/gpu"}


def test_request_of_nothing_fits_where_the_node_is_over_its_capacity() -> None:
    others = [make_pod("api-0", node="n2", workload="api", cpu=9000)]
    pod = make_pod(requests=make_resources(**{PODS: 1}))

    assert closed(pod, occupied([make_node("n2")], others)) == {}


def test_the_first_lacking_resource_in_alphabetical_order_decides() -> None:
    pod = _wanting(cpu=5000, memory=9 * GIB)

    assert closed(pod, occupied([make_node("n2")])) == {"n2": "resources: not enough cpu"}


@pytest.mark.parametrize("phase", [Phase.SUCCEEDED, Phase.FAILED])
def test_pods_that_have_ended_take_no_room(phase: Phase) -> None:
    others = [make_pod("job-0", node="n2", cpu=4000, phase=phase)]

    assert closed(make_pod(), occupied([make_node("n2")], others)) == {}


def test_pods_that_are_going_still_take_theirs() -> None:
    others = [make_pod("api-0", node="n2", workload="api", cpu=4000, terminating=True)]

    assert closed(make_pod(), occupied([make_node("n2")], others)) == {"n2": "resources: not enough cpu"}


def test_nominated_pod_has_its_room_already() -> None:
    others = [make_pod("api-0", node=None, nominated_node="n2", workload="api", cpu=4000)]

    assert closed(make_pod(), occupied([make_node("n2")], others)) == {"n2": "resources: not enough cpu"}


def test_fc_018_planned_moves_are_deducted() -> None:
    occupancy = occupied([make_node("n3")], [make_pod("api-0", node="n3", workload="api", cpu=3000)])
    mover = make_pod(cpu=500)

    for _ in range(2):
        assert closed(mover, occupancy) == {}
        occupancy.place(mover, "n3")

    assert closed(mover, occupancy) == {"n3": "resources: capacity used by planned moves"}


def test_planned_moves_are_not_blamed_for_what_was_full_before() -> None:
    occupancy = occupied([make_node("n3", pods=1)], [make_pod("api-0", node="n3", workload="api", cpu=3900)])
    occupancy.place(make_pod("web-1", cpu=100), "n3")

    assert closed(make_pod(cpu=500), occupancy) == {"n3": "resources: not enough cpu"}


def test_fc_062_what_a_pod_requests_is_what_the_decoder_summed_up() -> None:
    others = [make_pod("api-2", node="n2", cpu=2000), make_pod("api-3", node="n3", cpu=1700)]

    shut = closed(make_pod(cpu=2250), occupied([make_node("n2"), make_node("n3")], others))

    assert shut == {"n2": "resources: not enough cpu"}
