"""Traces have the published sizes, are calibrated, and come out alike each time."""

import pytest

from bench.placements import cases, traces
from bench.placements.traces import SEEDS, Shape, average_demand, trace


def test_littles_law_gives_the_published_mean_lifetime() -> None:
    assert Shape(nodes=32, gap=8.0).mean_life == pytest.approx(995, abs=1)


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_a_trace_is_as_large_as_published_and_calibrated(seed: int) -> None:
    shape = Shape(nodes=32, tiers=4)

    stays = trace(shape, seed)
    present = [stay for stay in stays if stay.comes == 0]
    arriving = sum(stay.workload.replicas for stay in stays if stay.comes > 0)

    assert average_demand(stays, shape) == pytest.approx(0.9, rel=0.01)
    assert 90 < len(present) < 150
    assert 1_300 < arriving < 2_100
    assert all(stay.goes > stay.comes for stay in stays)
    assert [stay.comes for stay in stays] == sorted(stay.comes for stay in stays)
    assert trace(shape, seed) == stays


def test_a_moment_of_a_trace_has_pods_that_wait() -> None:
    problem = cases.problem("trace-16x1", 1)

    assert problem.tiers == 1
    assert len(problem.sites) == 16
    assert any(item.node is None for item in problem.items)
    assert problem == traces.snapshot(Shape(nodes=16, tiers=1), SEEDS[1])


def test_demand_is_averaged_over_time_and_nothing_counts_after_the_end() -> None:
    shape = Shape(nodes=1, lasts=100.0)
    workload = trace(Shape(nodes=16, tiers=1), SEEDS[0])[0].workload
    asked = max(workload.requests[0] / 1000, workload.requests[1] / 2**30) * workload.replicas

    stays = [traces.Stay(workload=workload, comes=50.0, goes=1_000.0)]

    assert average_demand(stays, shape) == pytest.approx(asked / 2)
