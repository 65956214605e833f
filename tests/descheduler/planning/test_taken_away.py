"""A plan whose object or slot is deleted, changed or taken ends at once, in every phase, and says what was lost."""

from typing import Any

import pytest

from policies.values.plans import PlanPhase
from simulator.failures import Failure
from simulator.faults import After, Before, Fail
from tests.descheduler.planning.site import OWN, Site, paper
from tests.descheduler.planning.under_way import MERGE, PATH, in_phase, released, started, two_victims

SLOT = f"/apis/bayplan.dev/v1alpha1/namespaces/{OWN}/planslots/active"
AT_ONCE = 1.0
PHASES = (PlanPhase.INSTALLING, PlanPhase.EVICTING, PlanPhase.REALISING)
WORDS = {
    "slot deleted": ("slot", "the slot was deleted"),
    "slot emptied": ("slot", "somebody else emptied the slot"),
    "slot taken": ("slot", "the slot names the plan other, revision 1, of b"),
    "plan deleted": ("plan", "the plan was deleted"),
    "plan made again": ("plan", "the plan was deleted"),
    "plan changed": ("plan", "somebody changed what the plan says of pods and nodes"),
    "plan closed": ("plan", "somebody else closed the plan: Aborted"),
}


def patch(site: Site, path: str, body: dict[str, Any]) -> None:
    site.server.request("PATCH", path, body=body, content_type=MERGE)


def happen(site: Site, what: str) -> None:
    """Do to the newest plan or the slot what somebody might."""
    plan = site.plan().name
    other = {"plan": "other", "planUID": "u", "revision": 1, "holder": "b", "renewal": 1}
    match what:
        case "slot deleted":
            site.server.remove("planslots", "active", OWN)
        case "slot emptied":
            patch(site, SLOT, {"spec": {"plan": None, "planUID": "", "revision": 0, "holder": ""}})
        case "slot taken":
            patch(site, SLOT, {"spec": other})
        case "plan deleted":
            site.server.remove("placementplans", plan, OWN)
        case "plan made again":
            raw = site.server.find("placementplans", plan, OWN)
            assert raw is not None
            site.server.remove("placementplans", plan, OWN)
            meta = {key: raw["metadata"][key] for key in ("name", "namespace")}
            site.server.put(raw | {"metadata": meta | {"uid": "another"}})
        case "plan changed":
            patch(site, f"{PATH}/{plan}", {"spec": {"hold": "all"}})
        case _:
            patch(site, f"{PATH}/{plan}", {"status": {"phase": "Aborted"}})


@pytest.mark.parametrize("what", WORDS)
@pytest.mark.parametrize("phase", PHASES)
def test_it_ends_at_once_and_says_what_was_lost(phase: PlanPhase, what: str) -> None:
    site = paper()
    process = started(site)
    site.scheduler.paused = True
    at: list[float] = []

    def act() -> None:
        at.append(site.clock.monotonic())
        happen(site, what)

    in_phase(site, phase, act)

    result = process.attempt()

    word, words = WORDS[what]
    assert (result.outcome, result.detail) == ("Aborted", words)
    assert site.clock.monotonic() - at[0] <= AT_ONCE + (1.0 if phase is PlanPhase.INSTALLING else 0.0)
    assert site.events("PlanAborted")[0] == words
    assert process.count("plan_ends_total", reason=word) == 1
    if what == "slot taken":
        assert site.slot().plan == "other"
        site.server.remove("planslots", "active", OWN)
    if what == "plan made again":
        site.server.remove("placementplans", site.plan().name, OWN)
    released(site)


@pytest.mark.parametrize("what", WORDS)
def test_nobody_is_evicted_after_it(what: str) -> None:
    site = two_victims()
    process = started(site)
    site.server.faults.add(After(lambda: happen(site, what)), path="*/eviction")

    result = process.attempt()

    assert (result.outcome, len(site.evictions())) == ("Aborted", 1)
    assert WORDS[what][1] in result.detail


@pytest.mark.parametrize("what", WORDS)
def test_what_is_seen_right_before_the_call_is_told_too(what: str) -> None:
    site = two_victims()
    process = started(site)
    site.server.faults.add(After(lambda: happen(site, what)), method="POST", path="*/evictionrecords")

    result = process.attempt()

    word, words = WORDS[what]
    assert (result.outcome, site.evictions()) == ("Aborted", [])
    assert result.detail.endswith(f"not evicted: {words}")
    assert process.count("plan_ends_total", reason=word) == 1


def test_slot_that_is_lost_while_the_pod_is_read_is_named() -> None:
    site = two_victims()
    process = started(site)

    def lose() -> None:
        happen(site, "slot deleted")
        process.slot.renew()

    site.server.faults.add(Before(lose), method="GET", path="*/pods/*-0")

    result = process.attempt()

    assert (result.outcome, site.evictions()) == ("Aborted", [])
    assert result.detail.endswith("not evicted: the slot was deleted")
    (record,) = site.server.all("evictionrecords")
    assert record["status"]["answer"] == "not called: the slot was deleted, seen once the pod was read"


def test_replica_that_is_lost_while_the_pod_is_read_is_named() -> None:
    site = two_victims()
    process = started(site)

    def lose() -> None:
        site.extenders["one"].deaf = site.extenders["one"].dead = True
        site.wait(1.5)
        site.server.remove("leases", "bayplan-extender-one", OWN)
        process.replicas.look()

    site.server.faults.add(Before(lose), method="GET", path="*/pods/*-0")

    result = process.attempt()

    assert (result.outcome, site.evictions()) == ("Aborted", [])
    assert result.detail.endswith("not evicted: no replica of the extender lives")
    assert process.count("plan_ends_total", reason="replicas") == 1


@pytest.mark.parametrize("kind", ["planslots", "placementplans"])
def test_server_that_does_not_know_our_kinds_for_a_moment_ends_no_plan(kind: str) -> None:
    site = paper()
    process = started(site)
    unknown = Fail(Failure(404, "NotFound", "the server could not find the requested resource"))
    in_phase(site, PlanPhase.REALISING, lambda: site.server.faults.add(unknown, path=f"*/{kind}/*", times=3))
    site.scheduler.paused = True
    site.clock.call_after(45, lambda: setattr(site.scheduler, "paused", False))
    site.clock.call_after(46, lambda: site.node("n9"))

    assert process.attempt().outcome == "Completed"
