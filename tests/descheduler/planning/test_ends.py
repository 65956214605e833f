"""Every way in which a plan may end leaves its reason in `kubectl get placementplans`, in an event, and in a metric."""

import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

import descheduler.planning
from policies.values.plans import PlanPhase
from simulator.faults import Before
from tests.descheduler.planning.site import Site, paper
from tests.descheduler.planning.under_way import abort, in_phase, released, started, two_victims
from tests.descheduler.planning.ways import (
    EVICTING,
    INSTALLING,
    REALISING,
    SERVER_ERROR,
    WAYS,
    blocking,
    bring_about,
    fault,
)

ROOT: Final = Path(__file__).parents[3]


def kubectl_get(raw: dict[str, Any]) -> dict[str, str]:
    """Return what `kubectl get` shows of a plan, by the columns that the shipped CRD names."""
    crd = yaml.safe_load((ROOT / "deploy/common/crds/placementplans.yaml").read_text())
    shown = {}
    for column in crd["spec"]["versions"][0]["additionalPrinterColumns"]:
        value: Any = raw
        for key in column["jsonPath"].lstrip(".").split("."):
            value = (value or {}).get(key)
        shown[column["name"]] = str(value)
    return shown


def told(site: Site, end: PlanPhase) -> None:
    """Fail where people are not told of how the newest plan ended."""
    raw = next(one for one in site.server.all("placementplans") if one["metadata"]["name"] == site.plan().name)
    shown = kubectl_get(raw)
    assert (shown["Phase"], shown["Reason"]) == (str(end), site.plan().reason)
    (event,) = [
        one
        for one in site.server.all("events")
        if one["reason"] == f"Plan{end}" and one["involvedObject"]["name"] == site.plan().name
    ]
    assert event["message"] == site.plan().reason
    assert (event["type"], event["involvedObject"]["kind"]) == ("Warning", "PlacementPlan")
    assert (event["involvedObject"]["uid"], event["count"]) == (site.plan().uid, 1)


@pytest.mark.parametrize("name", WAYS)
def test_end_is_told_everywhere(name: str) -> None:
    way = WAYS[name]

    site, process = bring_about(way)

    assert way.words in site.plan().reason
    assert site.plan().phase is way.end
    told(site, way.end)
    assert process.count("plan_ends_total", reason=way.word) == 1
    released(site)


@pytest.mark.parametrize("phase", [INSTALLING, EVICTING, REALISING])
def test_next_leader_tells_of_the_end_of_a_plan_whose_leader_died(phase: PlanPhase) -> None:
    site = paper()
    first, second = started(site), site.process("b")
    site.scheduler.paused = True

    def die() -> None:
        first.frozen = True
        site.server.faults.add(Before(_dead), user="a", times=float("inf"))

    in_phase(site, phase, die)
    with pytest.raises(LookupError):
        first.attempt()
    site.wait(20)

    assert second.planner.ready()

    assert site.plan().reason.startswith(f"its leader was gone in {phase}")
    told(site, PlanPhase.ABORTED)
    assert second.count("plan_ends_total", reason="taken-over") == 1
    released(site)


def _dead() -> None:
    raise LookupError("dead")


@pytest.mark.parametrize("phase", [INSTALLING, EVICTING, REALISING])
def test_of_two_who_believe_to_lead_one_tells_of_the_end(phase: PlanPhase) -> None:
    site = paper()
    first, second = started(site), site.process("b")
    site.scheduler.paused = True

    def pause() -> None:
        first.frozen = True
        site.wait(30)
        assert second.planner.ready()
        first.frozen = False

    in_phase(site, phase, pause)
    result = first.attempt()

    assert result.outcome == "Aborted"
    assert site.plan().reason.startswith(f"its leader was gone in {phase}")
    told(site, PlanPhase.ABORTED)
    assert second.count("plan_ends_total", reason="taken-over") == 1
    assert first.count("plan_ends_total", reason="lease") == 0


def test_end_whose_writing_fails_is_written_later_with_its_own_reason() -> None:
    site = paper()
    process = started(site)
    site.scheduler.paused = True

    def fail() -> None:
        abort(site)
        fault(site, SERVER_ERROR, "*/placementplans/*", "PATCH", times=float("inf"))

    in_phase(site, REALISING, fail)
    process.attempt()
    assert site.plan().phase is REALISING
    assert site.slot().plan is None
    site.server.faults.clear()

    assert process.planner.ready()

    assert site.plan().reason == "abort requested: maintenance"
    told(site, PlanPhase.ABORTED)
    assert process.count("plan_ends_total", reason="abort-requested") == 1
    assert process.count("plan_ends_total", reason="taken-over") == 0


def test_no_word_is_without_a_way_to_it() -> None:
    folder = Path(descheduler.planning.__path__[0])
    source = "\n".join(file.read_text() for file in folder.glob("*.py"))

    words = set(re.findall(r'word="([a-z-]+)"', source))

    assert len(words) > 10
    assert words <= {way.word for way in WAYS.values()} | {"taken-over"}


def test_undisturbed_no_plan_ends_in_any_of_these_ways() -> None:
    for site in (paper(), two_victims(), blocking()):
        assert started(site).attempt().outcome == "Completed"
