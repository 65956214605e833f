"""Odd answers to the writes of a plan's life, pauses and clocks: what can be waited out is, all else ends it well."""

from typing import Final

import pytest

from simulator.failures import Failure
from simulator.faults import Before, Delayed, Fail, Fault, LostAnswer, LostRequest, Unconnected
from tests.descheduler.planning.site import Site, paper, plan_policy
from tests.descheduler.planning.test_ends import told
from tests.descheduler.planning.test_every_call_of_a_plan import CALLS, at_call
from tests.descheduler.planning.under_way import in_phase, released, started, two_victims
from tests.descheduler.planning.ways import EVICTING, INSTALLING, REALISING

ODD: Final[dict[str, Fault]] = {
    "409": Fail(Failure(409, "Conflict", "no")),
    "429": Fail(Failure(429, "TooManyRequests", "busy", retry_after=1)),
    "500": Fail(Failure(500, "InternalError", "no")),
    "503": Fail(Failure(503, "ServiceUnavailable", "no")),
    "answer lost": LostAnswer(),
    "request lost": LostRequest(),
    "not connected": Unconnected(),
}
UNANSWERED: Final = frozenset({"answer lost", "request lost"})
# Whether these have happened nobody can tell. What cannot be created is asked for again by the next trigger.
ENDS: Final[dict[str, frozenset[str]]] = {
    "create evictionrecords": UNANSWERED,
    "create pods/eviction": frozenset({"500", "503", "request lost"}),
    "create placementplans": frozenset(ODD),
}


def writes() -> list[str]:
    """Return the first and the last call of each kind that writes."""
    found: dict[str, list[str]] = {}
    for name in CALLS:
        kind = name.partition(": ")[2]
        if kind.split()[0] not in {"get", "list"}:
            found.setdefault(kind, []).append(name)
    return [name for names in found.values() for name in {names[0]: 0, names[-1]: 0}]


@pytest.mark.parametrize("odd", ODD)
def test_plan_outlives_an_odd_answer_to_a_write(odd: str) -> None:
    for name in writes():
        kind = name.partition(": ")[2]
        site = paper(grace=2)
        process = started(site)
        at_call(site, name, ODD[odd])

        result = process.attempt()

        if odd not in ENDS.get(kind, ()):
            assert result.outcome == "Completed", (name, result.detail)
        elif kind == "create placementplans":
            assert result.outcome == "unreadable"
            assert process.attempt().outcome == "Completed"
        else:
            assert result.outcome == "Aborted", name
            told(site, site.plan().phase)
        released(site)


@pytest.mark.parametrize("seconds", [3.0, 30.0])
@pytest.mark.parametrize("site", [paper, two_victims])
def test_api_server_that_is_away_in_the_middle_of_the_evictions(site: type[Site], seconds: float) -> None:
    """A restart is waited out; what takes longer than a promise holds ends the plan, and lets everybody go."""
    made = site()
    process = started(made)

    def away() -> None:
        for user in ("a", "extender-*"):
            made.server.faults.add(Unconnected(), user=user, times=float("inf"))
        made.clock.call_after(seconds, made.server.faults.clear)

    in_phase(made, EVICTING, away)

    result = process.attempt()
    made.wait(30)
    process.planner.ready()

    ended = made.plan().phase
    assert ended.ended
    if seconds < 5:
        assert result.outcome == "Completed", result.detail
    else:
        assert result.outcome == "Aborted"
        told(made, ended)
    released(made)


@pytest.mark.parametrize("path", ["*/placementplans/*", "*/nodes", "*/evictionrecords", "*/planslots/*"])
@pytest.mark.parametrize("odd", ["429", "500", "not connected"])
def test_validation_outlives_what_cannot_be_read_for_a_moment(odd: str, path: str) -> None:
    site = paper(grace=2)
    process = started(site)

    def trouble() -> None:
        site.server.faults.add(ODD[odd], user="a", method="GET", path=path, times=2)

    in_phase(site, INSTALLING, lambda: site.clock.call_after(0.9, trouble))

    result = process.attempt()

    assert result.outcome == "Completed", result.detail


def test_busy_api_server_is_asked_again_and_not_for_ever() -> None:
    site = two_victims()
    process = started(site)
    busy = Fail(Failure(429, "TooManyRequests", "busy"))
    site.server.faults.add(busy, path="*/eviction", times=2)

    assert process.attempt().outcome == "Completed"

    site = two_victims()
    process = started(site)
    site.server.faults.add(busy, path="*/eviction", times=float("inf"))

    result = process.attempt()

    assert result.outcome == "Aborted"
    assert "429 throttled" in result.detail
    assert site.witness.evicted == {}


def test_wait_that_the_server_asks_for_and_that_is_too_long_ends_the_plan() -> None:
    site = two_victims()
    process = started(site)
    busy = Fail(Failure(429, "TooManyRequests", "busy", retry_after=60))
    site.server.faults.add(busy, path="*/eviction")

    began = site.clock.monotonic()
    result = process.attempt()

    assert result.outcome == "Aborted"
    assert len(site.evictions()) == 1
    assert site.clock.monotonic() - began < 10


@pytest.mark.parametrize("name", writes())
def test_only_process_that_is_paused_for_30_s_evicts_nobody_once_it_goes_on(name: str) -> None:
    site = paper(grace=2)
    process = started(site)
    paused: list[float] = []

    def pause() -> None:
        paused.append(site.clock.now())
        process.frozen = True
        site.wait(30)
        process.frozen = False

    at_call(site, name, Before(pause))

    process.attempt()
    process.planner.ready()

    # the call in which it was paused had been sent already, and takes effect when it goes on
    calls = [call.at for call in site.server.calls.of("create", "pods/eviction")]
    assert len(calls) <= 1
    assert name.endswith("pods/eviction") or not [at for at in calls if at > paused[0]]
    assert site.slot().plan is None
    assert all(plan.phase.ended for plan in site.plans())


@pytest.mark.parametrize("by", [-3600.0, 3600.0])
@pytest.mark.parametrize("phase", [INSTALLING, EVICTING, REALISING])
@pytest.mark.parametrize("whose", ["ours", "the server's"])
def test_clock_that_jumps_in_the_middle_of_a_plan_changes_nothing(whose: str, phase: object, by: float) -> None:
    site = paper(grace=2, policy=plan_policy(realiseWithin="10s"))
    process = started(site)

    def jump() -> None:
        if whose == "ours":
            site.clock.jump(by)
            site.server.skew -= by
        else:
            site.server.skew += by

    in_phase(site, phase, jump)  # type: ignore[arg-type]  # a phase
    result = process.attempt()

    assert result.outcome == "Completed"
    released(site)


def test_slow_api_server_lets_no_eviction_outlive_what_it_rests_on() -> None:
    site = two_victims()
    process = started(site)
    site.server.faults.add(Delayed(1.9), path="*/planslots/*", method="PUT", times=float("inf"))
    site.server.faults.add(Delayed(1.9), path="*/leases*", times=float("inf"))

    result = process.attempt()

    for call in site.server.calls.of("create", "pods/eviction"):
        assert all(replica.plan is None or replica.plan.uid == site.plan().uid for replica in site.extenders.values())
        assert call.user == "a"
    assert result.outcome in {"Completed", "Aborted"}
