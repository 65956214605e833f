"""Nodes fill up LeastAllocated, and who waits gets the room that comes free."""

from hypothesis import given
from hypothesis import strategies as st

from bench.placements.fleet import Fleet, problem_of
from bench.placements.sizes import Workload


def workload(name: str, cpu: int, *, tier: int = 0, replicas: int = 1) -> Workload:
    return Workload(name=name, requests=(cpu, 1), tier=tier, replicas=replicas)


def test_a_pod_goes_to_the_node_that_is_left_with_most() -> None:
    fleet = Fleet.of(2, (10, 10))

    placed = [fleet.add(workload(f"w{at}", cpu))[0].node for at, cpu in enumerate((4, 3, 2))]

    assert placed == [0, 1, 1]


def test_what_fits_nowhere_waits_and_the_more_important_gets_the_room_first() -> None:
    fleet = Fleet.of(1, (10, 10))
    first = fleet.add(workload("first", 8))
    fleet.add(workload("low", 6, tier=1))
    high = fleet.add(workload("high", 6))

    fleet.remove(first)

    assert high[0].node == 0
    assert [pod.workload.name for pod in fleet.pending] == ["low"]
    assert fleet.demand() == 1.2


@given(
    steps=st.lists(st.tuples(st.integers(1, 6), st.integers(1, 3), st.booleans()), max_size=25), nodes=st.integers(1, 4)
)
def test_free_is_always_what_is_not_taken(steps: list[tuple[int, int, bool]], nodes: int) -> None:
    fleet = Fleet.of(nodes, (10, 10))
    for at, (cpu, replicas, goes) in enumerate(steps):
        made = fleet.add(workload(f"w{at}", cpu, replicas=replicas))
        if goes:
            fleet.remove(made)

    problem = problem_of(fleet, tiers=1)

    for node, site in enumerate(problem.sites):
        taken = sum(item.requests[0] for item in problem.items if item.node == node)
        assert site.room[0] - taken == fleet.free[node][0] >= 0
    assert all((fleet.free < pod.workload.requests).any(axis=1).all() for pod in fleet.pending)
