"""Every instance by name: the numbers that its source says, sound, and the same each time."""

from pathlib import Path

import pytest

from bench.placements import bytedance, cases, openb, places
from bench.placements.devices import packs
from bench.placements.places import Missing
from descheduler.optimiser import soundness
from descheduler.optimiser.checking import check
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options, doing_nothing


def pending(problem: Problem) -> int:
    return sum(place is None for place in doing_nothing(problem))


@pytest.mark.parametrize("name", ["16x1", "32x4", "apart-32x4", "bytedance-43-98", "mixed"])
def test_an_instance_is_sound_full_and_made_anew_alike(name: str) -> None:
    problem = cases.problem(name, 3)

    assert not soundness.faults(problem)
    assert not check(problem, doing_nothing(problem), Options())
    assert cases.problem(name, 3) == problem
    assert cases.problem(name, 4) != problem


@pytest.mark.parametrize(("seed", "left"), [(0, 8), (1, 7), (2, 7)])
def test_the_small_cluster_overfills_as_published(seed: int, left: int) -> None:
    problem = cases.problem("bytedance-43-98", seed)

    assert len(problem.sites) == bytedance.SMALL
    assert pending(problem) == left


def test_made_snapshots_are_as_full_as_the_tables_say() -> None:
    counts = [pending(cases.problem("32x1", seed)) for seed in cases.SEEDS]
    problem = cases.problem("32x1", 11)
    demand = [sum(item.requests[at] for item in problem.items) / (32 * problem.sites[0].room[at]) for at in (0, 1)]

    assert min(counts) >= 3
    assert 20 <= sum(counts) <= 60
    assert 0.95 <= max(demand) <= 0.99
    assert 200 <= len(problem.items) <= 280


def test_tiers_are_rarer_the_more_important_they_are() -> None:
    problem = cases.problem("100x4", 1)
    counts = [sum(item.tier == tier for item in problem.items) for tier in range(4)]

    assert counts == sorted(counts)


def test_mixed_instances_have_every_kind_of_constraint_between_them() -> None:
    drawn = [cases.problem("mixed", seed) for seed in range(40)]

    for kind in ("budgets", "exclusives", "separations", "attractions", "spreads"):
        assert sum(bool(getattr(problem, kind)) for problem in drawn) > 10, kind
    assert sum(pending(problem) > 0 for problem in drawn) > 20
    assert any(item.must_leave for problem in drawn for item in problem.items)
    assert any(not site.accepts for problem in drawn for site in problem.sites)
    assert any(problem.max_disruptions is not None for problem in drawn)


def test_workloads_apart_have_their_constraints_and_the_pods_of_the_snapshot() -> None:
    problem, plain = cases.problem("apart-32x4", 11), cases.problem("32x4", 11)
    owners = {item.owner for item in problem.items}
    alone = {owner for owner in owners if sum(item.owner == owner for item in problem.items) == 1}

    assert problem.items == plain.items
    assert len(problem.separations) == len(problem.budgets) == len(owners - alone)
    for separation, budget in zip(problem.separations, problem.budgets, strict=True):
        assert separation.carriers == separation.others == budget.members
        assert len({problem.items[member].owner for member in budget.members}) == 1


def test_a_name_that_is_none_is_told_what_names_there_are() -> None:
    with pytest.raises(cases.UnknownCase, match=r"'24y1' is no instance; `16x1`"):
        cases.problem("24y1", 1)


def test_a_data_set_that_is_not_here_is_named(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"openb_nodes.csv is not in .* \(set BAYPLAN_DATA to its folder"):
        places.file("openb_nodes.csv", environment={"BAYPLAN_DATA": str(tmp_path)})


def test_a_shipped_data_set_goes_before_the_folder() -> None:
    assert places.file("bytedance_43_hosts.json", environment={}).parent.name == "data"


def test_gpu_pods_come_until_the_demand_is_met_and_fit_their_devices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = ["sn,cpu_milli,memory_mib,gpu,model", "a,8000,1024,2,T4", "b,8000,1024,0,"]
    pods = ["name,cpu_milli,memory_mib,num_gpu,gpu_milli,qos"]
    pods += [f"p{at},1000,10,1,600,{'LS' if at % 2 else 'BE'}" for at in range(4)]
    (tmp_path / "openb_nodes.csv").write_text("\n".join(nodes))
    (tmp_path / "openb_pods.csv").write_text("\n".join(pods))
    monkeypatch.setenv("BAYPLAN_DATA", str(tmp_path))

    parts = openb.packing(openb.recorded(whole=False), demand=0.9, seed=1)
    whole = openb.packing(openb.recorded(whole=True), demand=2.0, seed=1)

    # Two devices take one part of 0.6 each; a third makes 0.9 of the demand and fits the sum alone.
    assert [item.node for item in parts.items] == [0, 0, None]
    assert {item.tier for item in whole.items} == {0, 2}
    assert [item.requests for item in whole.items] == [(1000, 10 * 2**20, 1000)] * 4
    assert sum(item.node is None for item in whole.items) == 2


@pytest.mark.parametrize(
    ("parts", "devices", "fit"),
    [
        ([600, 600], 2, True),
        ([600, 600, 600], 2, False),
        ([2000, 500, 500], 3, True),
        ([2000, 500, 600], 3, False),
        ([700, 600, 400, 300], 2, True),
        ([3000], 2, False),
        ([], 0, True),
    ],
)
def test_parts_are_packed_on_devices(parts: list[int], devices: int, *, fit: bool) -> None:
    assert packs(parts, devices=devices) is fit
