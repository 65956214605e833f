"""The worked rows of docs/design/plans.md are what the code computes."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from policies.model.limits import CoolDown
from policies.plans.closing import resting
from policies.plans.converging import deadline, progress
from policies.plans.quotas import leaving, remaining
from policies.plans.reservations import reserve, shares
from policies.values.plans import PlanCondition, PlanPhase
from policies.values.pods import Phase, Pod
from tests.builders import NOW, make_cluster, make_node, make_pod, make_workload
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan, with_pods
from tests.policies.plans.test_rails import make_plan_policy

TEXT = (Path(__file__).parents[3] / "docs" / "design" / "plans.md").read_text(encoding="utf-8")


def rows(kind: str) -> dict[str, list[str]]:
    """Return the cells of all rows whose names begin with a letter."""
    lines = [line for line in TEXT.splitlines() if re.match(rf"\| {kind}\d", line)]
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {name: rest for name, *rest in cells}


def test_no_row_is_untested() -> None:
    names = re.findall(r"^\| ([A-Z]\d+) \|", TEXT, flags=re.MULTILINE)

    assert names == [name for kind in "QRCTF" for name in rows(kind)]


def pods(prefix: str, count: int, *, node: str | None = "n1", **changes: object) -> list[Pod]:
    """Return so many pods of one kind."""
    return [replace(make_pod(f"{prefix}-{at}", node=node), **changes) for at in range(count)]  # type: ignore[arg-type]


@pytest.mark.parametrize("row", rows("Q"))
def test_quota_rows(row: str) -> None:
    wanted, live, victims, terminating, ended, left = map(int, rows("Q")[row])
    nodes = [make_node("n1"), make_node("n2")]
    waiting = pods("new", wanted, node=None)
    there = pods("live", live)
    others = [*pods("going", terminating, terminating=True), *pods("ended", ended, phase=Phase.SUCCEEDED)]
    before = make_cluster(nodes, [*waiting, *there[:victims]])
    plan = make_plan(
        before, place={pod.name: "n1" for pod in waiting}, move={pod.name: "n2" for pod in there[:victims]}
    )

    found = remaining(plan, [*there, *others])

    assert {place.node: count for place, count in found.items()}["n1"] == left


@pytest.mark.parametrize("row", rows("R"))
def test_reservation_rows(row: str) -> None:
    allocatable, stay, victims, coming, equal, higher = map(int, rows("R")[row])
    node = make_node("n1", cpu=allocatable)
    victim = make_pod("victim", workload="victim", cpu=victims)
    staying = make_pod("staying", workload="staying", cpu=stay)
    cluster = make_cluster(
        [node, make_node("n2")], [victim, staying, make_pod("new", workload="new", node=None, cpu=coming)]
    )
    plan = make_plan(cluster, move={"victim": "n2"}, place={"new": "n1"})

    found = reserve(shares(plan)["n1"], node, {pod.uid: pod for pod in (victim, staying)}, leaving=leaving(plan))

    assert found.room(0).left["cpu"] == equal
    assert found.free["cpu"] == higher
    assert not found.room(1).left  # nothing is promised against a higher priority


@pytest.mark.parametrize("row", rows("C"))
def test_completion_rows(row: str) -> None:
    then, now, unplaced, bound, elsewhere, waiting, complete, early = rows("C")[row]
    nodes = [make_node("n1"), make_node("n2")]
    pending = pods("new", int(then), node=None)
    before = make_cluster(nodes, pending, [make_workload("web", wanted=int(then))])
    plan = make_plan(before, place={pod.name: "n1" for pod in pending[int(unplaced) :]})
    there = [
        *pods("bound", int(bound)),
        *pods("else", int(elsewhere), node="n2"),
        *pods("wait", int(waiting), node=None),
    ]
    cluster = with_pods(before, *there, without=[pod.name for pod in pending])
    size = {} if now == "gone" else {(one := make_workload("web", wanted=int(now))).ref: one}

    found = progress(plan, replace(cluster, workloads=size), before=before)

    assert ("yes" if found.done else "no") == complete
    assert ("no" if found.abort is None else "yes") == early


@pytest.mark.parametrize("row", rows("T"))
def test_deadline_rows(row: str) -> None:
    since, evictions, within, ends = rows("T")[row]
    steps = [tuple(map(float, each.split("+"))) for each in evictions.split(",") if each]
    running = [make_pod(f"web{at}", workload=f"web{at}", grace_seconds=grace) for at, (_, grace) in enumerate(steps)]
    plan = make_plan(
        make_cluster([make_node("n1"), make_node("n2")], running), move={pod.name: "n2" for pod in running}
    )
    evicted_at = {pod.uid: at for pod, (at, _) in zip(running, steps, strict=True)}

    assert deadline(plan, evicted_at, since=float(since), realise_within=float(within)) == float(ends)


@pytest.mark.parametrize("row", rows("F"))
def test_rest_rows(row: str) -> None:
    ended, rests = rows("F")[row]
    policy = make_plan_policy(eviction={"cool_down": CoolDown(initial=100.0, factor=2.0, max=300.0)})
    plans = [
        the_papers_plan(
            name=f"plan-{ago}",
            phase=PlanPhase.COMPLETED if how == "c" else PlanPhase.ABORTED,
            finished_at=NOW - float(ago),
            conditions=(PlanCondition(kind="Validated", met=how != "d"),),
        )
        for how, ago in re.findall(r"([fcd])(\d+)", ended)
    ]

    pair = (the_paper().workload_of["uid-web-2"], "n2")

    assert resting(plans, policy, now=NOW).get(pair, NOW) - NOW == float(rests)
