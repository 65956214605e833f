"""Plans that fewer pods wait for than before: nobody is evicted for those who come no more; the rest completes."""

import pytest

from policies.values.plans import PlanPhase
from simulator.faults import After
from tests.descheduler.planning.site import Site
from tests.descheduler.planning.under_way import MERGE, in_phase, released, started

NAMES = ("a", "b", "c")


def crowd() -> Site:
    """Return a cluster in which three replicas of `late` each get the place of a pod that goes to `spare`."""
    site = Site()
    site.node(*(f"full-{name}" for name in NAMES))
    site.node(*(f"spare-{name}" for name in NAMES), cpu=600)
    for name in NAMES:
        site.workload(f"moved-{name}", f"full-{name}", cpu=400)
    site.workload("late", *(None for _ in NAMES), cpu=700)
    site.solver.goes = {f"moved-{name}-0": f"spare-{name}" for name in NAMES}
    site.solver.goes |= {f"late-{at}": f"full-{name}" for at, name in enumerate(NAMES)}
    return site


def scale(site: Site, name: str, replicas: int) -> None:
    path = f"/apis/apps/v1/namespaces/default/deployments/{name}"
    site.server.request("PATCH", path, body={"spec": {"replicas": replicas}}, content_type=MERGE)


@pytest.mark.parametrize("left", [0, 1, 2, 3])
@pytest.mark.parametrize("begun", [1, 2])
def test_scaled_down_between_evictions_it_takes_the_steps_that_are_for_somebody(left: int, begun: int) -> None:
    site = crowd()
    process = started(site)

    def happen() -> None:
        if len(site.evictions()) == begun:
            scale(site, "late", left)

    site.server.faults.add(After(happen), path="*/eviction", times=3)

    result = process.attempt()

    assert (result.outcome, result.detail) == ("Completed", "every wanted pod is bound")
    assert len(site.evictions()) == len(site.records()) == max(begun, left)
    assert site.plan().progress.placed == left
    released(site)
    assert (site.places().get("late") or "").count("full-") == left


def test_scaled_down_before_the_first_eviction() -> None:
    site = crowd()
    process = started(site)
    in_phase(site, PlanPhase.EVICTING, lambda: scale(site, "late", 1))

    assert process.attempt().outcome == "Completed"
    assert len(site.evictions()) <= 2  # one call may have been on its way
    released(site)


def test_scaled_up_again_it_does_not_say_that_it_is_complete() -> None:
    site = crowd()
    process = started(site)
    site.server.faults.add(After(lambda: scale(site, "late", 1)), path="*/eviction")
    site.scheduler.paused = True

    def wait_for_nobody() -> None:
        scale(site, "late", 3)
        site.scheduler.paused = False

    in_phase(site, PlanPhase.REALISING, wait_for_nobody)

    result = process.attempt()

    assert result.outcome == "TimedOut"
    assert result.detail.startswith("not in time: default/moved-")
    assert len(site.evictions()) == 1
    released(site)


def test_victim_that_is_scaled_away_itself_needs_no_eviction() -> None:
    site = crowd()
    process = started(site)

    def happen() -> None:
        for name in NAMES:
            if f"moved-{name}-0" not in site.evictions():
                scale(site, f"moved-{name}", 0)

    site.server.faults.add(After(happen), path="*/eviction")

    assert process.attempt().outcome == "Completed"
    assert len(site.evictions()) == 1
    assert site.places()["late"] == "full-a,full-b,full-c"
    released(site)
