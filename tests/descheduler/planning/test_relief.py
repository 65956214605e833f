"""Relief: a cycle whose victims have nowhere to go asks for a plan, which makes room for them elsewhere."""

from threading import Event
from typing import Any

import pytest

from descheduler.planning.desk import Asked, of_relief
from descheduler.planning.problems.measured import NOTHING_MEASURED
from descheduler.planning.results import Result
from policies.model.plan import Plan
from tests.descheduler.cycles import hot
from tests.descheduler.planning.site import Site as PlanSite
from tests.descheduler.planning.site import plan_policy
from tests.descheduler.planning.under_way import started
from tests.descheduler.site import Process, Site
from tests.raw import raw_node


def stuck(**plan: Any) -> Site:
    """Return a hot cluster none of whose other nodes takes anybody."""
    site = hot()
    taints = {"spec": {"taints": [{"key": "case/full", "effect": "NoSchedule"}]}}
    site.server.put(*(raw_node(name, patch=taints) for name in ("n2", "n3")))
    site.policy = site.policy.model_copy(update={"plan": Plan(**plan)})
    return site


def asked(process: Process) -> Asked | None:
    return process.desk.take(0, stop=Event())


def test_cycle_without_a_destination_asks_for_relief_with_what_is_measured() -> None:
    process = stuck(relief=True).process()

    process.run()

    found = asked(process)
    assert found is not None
    assert (found.trigger, set(found.relief)) == ("relief", {"uid-web-0"})
    assert [set(turn) for turn in found.otherwise] == [{"uid-api-0"}]
    assert set(found.measured.standings) >= {"n1", "n2", "n3"}
    assert found.measured.use["cpu"]["uid-web-0"] == pytest.approx(1.5)


def test_cycle_asks_for_nothing_where_relief_is_off_or_somebody_goes() -> None:
    without, with_destination = stuck().process(), hot().process()

    without.run()
    with_destination.run()

    assert asked(without) is None
    assert asked(with_destination) is None


def test_other_triggers_get_what_the_last_cycle_measured() -> None:
    site = stuck(trigger="periodic")
    site.others["n1"] = 0.5
    process = site.process()
    process.run()

    process.desk.ask(Asked(trigger="periodic"))

    found = asked(process)
    assert found is not None
    assert set(found.measured.standings) >= {"n1", "n2", "n3"}


def test_cycle_evicts_nobody_while_a_plan_is_carried_out() -> None:
    site = hot()
    process = site.process()
    assert process.gate.enter("plan-1")

    lines = process.run().decisions

    assert [(line.rail, line.pod.name if line.pod else "") for line in lines] == [("plan-active", "web-0")]
    assert site.evictions() == []
    process.gate.leave()
    process.run(after=15)
    assert site.evictions() == ["web-0"]


def test_hot_node_is_relieved_by_moves_that_make_room() -> None:
    site = PlanSite(policy=plan_policy(relief=True))
    site.node("n1", "n2", "n3")
    site.workload("hungry", "n1", cpu=600, grace_seconds=2)
    site.workload("calm", "n2", cpu=500, grace_seconds=2)
    site.workload("still", "n3", cpu=450, grace_seconds=2)
    site.solver.goes = {"hungry-0": "n2", "calm-0": "n3"}

    result = started(site).attempt("relief", relief=["uid-hungry-0"])

    assert result.outcome == "Completed"
    assert site.places() == {"hungry": "n2", "calm": "n3", "still": "n3"}
    assert {raw["spec"]["rule"] for raw in site.server.all("evictionrecords")} == {"relief"}
    (problem,) = site.solver.asked
    assert [item.key for item in problem.items if item.must_leave] == ["uid-hungry-0"]


def test_where_no_plan_takes_the_first_candidate_the_next_one_is_tried() -> None:
    site = PlanSite()
    site.node("n1", "n2", "n3")
    site.workload("huge", "n1", cpu=700)
    site.workload("hungry", "n1", cpu=300)
    site.workload("calm", "n2", cpu=500)
    site.workload("still", "n3", cpu=500)
    process = started(site)

    def answer(_: object) -> None:
        """Find nothing for the first candidate."""
        site.solver.goes = {} if len(site.solver.asked) == 1 else {"hungry-0": "n2"}

    site.solver.meanwhile = answer
    process.site.policy = plan_policy(relief=True)
    asked = of_relief([["uid-huge-0", "uid-hungry-0"]], NOTHING_MEASURED, at=site.clock.monotonic())

    result = process.planner.attempt(asked, site.loaded, process.desk)

    assert result.outcome == "Completed"
    assert [[item.key for item in problem.items if item.must_leave] for problem in site.solver.asked] == [
        ["uid-huge-0"],
        ["uid-hungry-0"],
    ]
    assert process.count("plan_solves_total", solver="scripted", proof="improved-proven") == 2


def shared(*, seconds: float, helps: int) -> tuple[PlanSite, Result]:
    """Make a blocking attempt at three candidates; each solve takes so long, and only one of them finds a plan."""
    site = PlanSite(policy=plan_policy(relief=True, blocking=True))
    site.node("n1", "n2", "n3")
    for name in ("one", "two", "three"):
        site.workload(name, "n1", cpu=300, grace_seconds=2)
    process = started(site)

    def answer(_: object) -> None:
        at = len(site.solver.asked)
        site.wait(seconds)
        site.solver.goes = {("one-0", "two-0", "three-0")[at - 1]: "n2"} if at == helps else {}

    site.solver.meanwhile = answer
    asked = of_relief([["uid-one-0", "uid-two-0", "uid-three-0"]], NOTHING_MEASURED, at=site.clock.monotonic())
    return site, process.planner.attempt(asked, site.loaded, process.desk)


def test_candidates_of_a_blocking_run_share_the_time_that_pods_are_held() -> None:
    site, result = shared(seconds=0.25, helps=3)

    assert result.outcome == "Completed"
    assert [options.time_limit for options in site.solver.options] == pytest.approx([1.0, 0.875, 1.5])
    assert site.places() == {"one": "n1", "two": "n1", "three": "n2"}


def test_blocking_run_tries_nobody_once_the_time_is_up() -> None:
    site, result = shared(seconds=1.98, helps=2)

    assert result.outcome == "improved-proven"
    assert len(site.solver.asked) == 1
    assert site.slot().plan is None
    assert site.plans() == []
