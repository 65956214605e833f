"""Plans are counted and judged as they are, good ones and bad ones, and each question is asked once."""

from dataclasses import replace
from pathlib import Path

import pytest

from bench.placements import report, running, sheets
from bench.placements.lab import Lab, Setup
from bench.placements.rows import safety
from bench.placements.running import Instance, Outcome, judge, worse_than_nothing
from bench.results import Result
from descheduler.optimiser.problem import Item, Problem, Site
from descheduler.optimiser.solution import Assignment, Options, Point, Proof, Solution

OPTIONS = Options()


def crowded() -> Instance:
    """Two nodes: a small pod on each, and a pod that waits for a whole node."""
    sites = tuple(Site(name=name, room=(10, 10), allocatable=(10, 10)) for name in ("n1", "n2"))
    small = [Item(key=f"s{node}", requests=(5, 5), tier=1, eligible=0, node=node) for node in (0, 1)]
    large = Item(key="large", requests=(10, 10), tier=0, eligible=0)
    problem = Problem(resources=("cpu", "memory"), sites=sites, items=(*small, large), eligibility=((0, 1),), tiers=2)
    return Instance(name="crowded", seed=1, problem=problem)


def judged(assignment: Assignment, *path: Point) -> Outcome:
    solution = Solution(assignment=assignment, proof=Proof.IMPROVED, solver="bayplan", path=path)
    return judge(crowded(), solution, OPTIONS, seconds=1.0)


def test_a_plan_is_counted_by_tier() -> None:
    outcome = judged((1, 1, 0))

    assert (outcome.gained, outcome.disruptions, outcome.placed) == (1, 1, (1, 2))
    assert (outcome.moved, outcome.evicted) == ((0, 1), (0, 0))
    assert [float(share) for share in outcome.usage] == [0.5, 1.0]
    assert outcome.useful


def test_an_invalid_plan_is_of_no_use_whatever_it_places() -> None:
    outcome = judged((0, 1, 0))

    assert outcome.gained == 1
    assert not outcome.useful
    assert outcome.violations[0].startswith("capacity:")


def test_the_cheapest_plan_on_the_way_that_places_as_many_counts() -> None:
    path = (
        Point(at=0.1, placed=(0, 2), disruptions=0),
        Point(at=0.2, placed=(1, 2), disruptions=5),
        Point(at=0.3, placed=(1, 2), disruptions=1),
    )
    outcome = judged((1, 1, 0), *path)

    assert outcome.at_count(1) == path[2]
    assert outcome.at_count(2) is None
    assert outcome.plans == path[1:]


@pytest.mark.parametrize(
    ("assignment", "faults"),
    [((1, 1, 0), []), ((0, 1, None), []), ((0, 1, 0), ["invalid"]), ((0, None, None), ["worse", "usage"])],
    ids=["good", "nothing", "overfull", "eviction for nobody"],
)
def test_every_kind_of_fault_is_counted(assignment: Assignment, faults: list[str]) -> None:
    outcome = replace(judged(assignment), violations=judged(assignment).violations[:1] if faults == ["invalid"] else ())

    assert [*safety._faults(Lab(), Setup(), outcome)] == faults
    assert worse_than_nothing(outcome, OPTIONS) == ("worse" in faults)


@pytest.mark.parametrize(("solver", "gained"), [("nothing", 0), ("default", 0), ("preempting", 1), ("repaired", 1)])
def test_baselines_answer(solver: str, gained: int) -> None:
    outcome = running.answer(crowded(), running.solver(solver), replace(OPTIONS, time_limit=5.0))

    assert not outcome.violations
    assert outcome.gained == gained


def test_a_question_is_asked_once_in_a_run() -> None:
    lab = Lab(factor=2.0)

    first = lab.answer(crowded(), Setup(solver="default"))

    assert lab.answer(crowded(), Setup(solver="default")) is first
    assert lab.options(Setup(seconds=3.0)).time_limit == 6.0
    assert lab.seconds(3.0) == 1.5


def test_a_name_whose_data_is_missing_has_no_instances_and_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYPLAN_DATA", str(tmp_path))
    lab = Lab()

    assert [*lab.instances("bytedance-236-98", [0, 1])] == []
    assert lab.skipped["bytedance-236-98"].startswith("bytedance_vm_snapshots.json is not in")


def test_the_page_has_every_answer_and_what_was_skipped() -> None:
    lab = Lab(skipped={"openb-parts-95": "openb_pods.csv is not in /data"})
    lab.answer(crowded(), Setup(solver="default"))
    found = [Result(row="small", what="w", target="t", seen="s", met=False)]

    page = report.page(lab, found, facts={"took": "7 minutes"}, curve="the curve\n")

    assert "| `small` | w | t | s |  | **no** |  |" in page
    assert "| `crowded` 1 | B1 | 1 | 0 | 0 2 | 0 0 | 0 0 | 50.00 → 50.00 | - | nothing-found | - |" in page
    assert "* skipped: openb_pods.csv is not in /data" in page
    assert "the curve" in page
    assert "this run: 7 minutes" in page


def test_the_curve_adds_up_seeds_by_price() -> None:
    one, other = judged((1, 1, 0)), replace(judged((0, 1, None)), instance=replace(crowded(), seed=2))

    table = sheets.curve([(Setup(price=3), one), (Setup(price=None), one), (Setup(price=3), other)])

    assert "| instances | pending | price 3 | no price |" in table
    assert "| `crowded`, 2 seeds | 2 | 1 / 1 | 1 / 1 |" in table
