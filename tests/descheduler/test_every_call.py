"""What a run survives at each of its calls: death, a pause, a lost or an odd answer; each call in turn, none left out.

However it goes: nobody is evicted twice, none without a record before, none without the lease, and limits hold.
"""

import contextlib
from collections.abc import Callable, Iterable
from typing import Any, Final

import pytest

from simulator.calls import Call
from simulator.failures import Failure
from simulator.faults import After, Before, Delayed, Fail, Fault, LostAnswer, LostRequest, Unconnected
from tests.descheduler.cycles import most_within
from tests.descheduler.site import Site, policy
from tests.raw import raw_pdb

WINDOW: Final = 600.0
LIMITS: Final = [{"scope": "cluster", "max": 2, "window": "10m"}, {"scope": "node", "max": 1, "window": "10m"}]
PODS_OF: Final = {"n1": ("uid-web-0", "uid-api-0"), "n2": ("uid-db-0", "uid-log-0")}


class Killed(BaseException):
    """SIGKILL: nothing in the process may catch it."""


def killed() -> None:
    """End the process here."""
    raise Killed


def nothing() -> None:
    """Let a call pass."""


def scene(**eviction: Any) -> Site:
    """Return a cluster with two hot nodes, each with two pods that could go, and only n3 to take them."""
    demands = {"web": 1.5, "api": 1.0, "db": 1.4, "log": 0.9}
    site = Site(policy=policy(limits=LIMITS, **eviction), demands=demands, place=lambda _: "n3")
    site.others = {"n1": 2.1, "n2": 2.2, "n3": 0.0, "rest": -6.0}
    for name, node in (("web", "n1"), ("api", "n1"), ("db", "n2"), ("log", "n2")):
        site.add(name, node, "rest", "rest")
    site.server.put(raw_pdb("web", app="web", spec={"minAvailable": 2}))
    return site


def calls_of_a_cycle() -> list[Call]:
    """Return the calls of a cycle that nothing disturbs, in their order."""
    site = scene()
    process = site.process("a")
    before = len(site.server.calls)
    process.run()
    assert sorted(site.witness.evicted) == ["uid-db-0", "uid-web-0"]
    return list(site.server.calls)[before:]


CALLS: Final = [f"{at}: {call.verb} {call.resource}" for at, call in enumerate(calls_of_a_cycle())]
SINGLE: Final = [name for name in CALLS if ": list " not in name or name.endswith("evictionrecords")]


def at_call(site: Site, name: str, fault: Fault) -> None:
    """Let the call of process `a` with this number, from now on, meet a fault."""
    site.server.faults.add(Before(nothing), user="a", times=int(name.partition(":")[0]))
    site.server.faults.add(fault, user="a")


def uid_of(call: Call) -> str:
    """Return whose eviction or record a call asks for."""
    if call.resource == "pods/eviction":
        return str(call.body["deleteOptions"]["preconditions"]["uid"])
    return str(call.body["spec"]["pod"]["uid"])


def check(site: Site) -> None:
    """Fail where somebody was evicted without a record of the same process before, or beyond a limit or a budget."""
    recorded: set[tuple[str, str]] = set()
    for call in site.server.calls:
        if call.resource == "evictionrecords" and call.verb == "create":
            recorded.add((call.user, uid_of(call)))
        if call.resource == "pods/eviction":
            assert (call.user, uid_of(call)) in recorded, f"{call} without a record"
    check_limits(site.witness.evicted)
    assert not site.server.calls.of("delete", "pods")
    pdb = site.server.find("poddisruptionbudgets", "web")
    assert pdb is not None
    assert pdb["status"]["currentHealthy"] >= 2


def check_limits(evicted: dict[str, float]) -> None:
    """Fail where a rolling window holds more evictions than it may."""
    assert most_within(evicted.values(), WINDOW) <= 2
    for uids in PODS_OF.values():
        assert most_within([at for uid, at in evicted.items() if uid in uids], WINDOW) <= 1, evicted


def asked_twice(calls: Iterable[Call], *, within: float) -> list[str]:
    """Return whose eviction was asked for again within so many seconds."""
    last: dict[str, float] = {}
    twice = []
    for call in calls:
        if call.at - last.get(uid_of(call), -within) < within:
            twice.append(uid_of(call))
        last[uid_of(call)] = call.at
    return twice


@pytest.mark.parametrize("when", [Before, After])
@pytest.mark.parametrize("name", CALLS)
def test_a_process_that_dies_at_any_call_is_followed_by_one_that_repeats_nothing(
    name: str, when: Callable[[Callable[[], object]], Fault]
) -> None:
    site = scene()
    first = site.process("a")
    at_call(site, name, when(killed))

    with contextlib.suppress(Killed):
        first.run()
    second = site.process("b")
    for pause in (20, 15, 90):
        second.run(after=pause)

    check(site)
    calls = site.server.calls
    assert asked_twice(calls.of("create", "pods/eviction"), within=1e9) == []
    assert {"uid-web-0", "uid-db-0"} <= {uid_of(call) for call in calls.of("create", "evictionrecords")}


@pytest.mark.parametrize("name", CALLS)
def test_a_leader_paused_at_any_call_starts_nothing_once_another_has_taken_over(name: str) -> None:
    site = scene()
    first, second = site.process("a"), site.process("b")
    meanwhile: list[Call] = []

    def elsewhere() -> None:
        site.clock.advance(20)
        for between in (16, 15, 15):
            second.run(after=between)
        meanwhile.extend(site.server.calls)

    at_call(site, name, Before(elsewhere))

    first.run()
    site.server.faults.clear()
    for between in (15, 60):
        second.run(after=between)

    check(site)
    assert asked_twice(site.server.calls.of("create", "pods/eviction"), within=1e9) == []
    # the call in which it was paused had been sent and is carried out; it stands among those before
    late = list(site.server.calls)[len(meanwhile) :] if meanwhile else []
    assert [str(call) for call in late if call.user == "a" and call.resource == "pods/eviction"] == []


PROVES_NOTHING: Final[dict[str, Fault]] = {
    "request lost": LostRequest(),
    "answer lost": LostAnswer(),
    "late": Delayed(30.0),
    "500": Fail(Failure(500, "InternalError", "no")),
    "504": Fail(Failure(504, "Timeout", "no")),
}
PROVES_THAT_NOTHING_HAPPENED: Final[dict[str, Fault]] = {
    "not connected": Unconnected(),
    "slow": Delayed(1.9),
    "401": Fail(Failure(401, "Unauthorized", "no")),
    "403": Fail(Failure(403, "Forbidden", "no")),
    "404": Fail(Failure(404, "NotFound", "no")),
    "409": Fail(Failure(409, "Conflict", "no")),
    "410": Fail(Failure(410, "Expired", "no")),
    "422": Fail(Failure(422, "Invalid", "no")),
    "429": Fail(Failure(429, "TooManyRequests", "busy", retry_after=1)),
}


@pytest.mark.parametrize("odd", PROVES_NOTHING | PROVES_THAT_NOTHING_HAPPENED)
def test_no_odd_answer_to_any_call_evicts_twice_or_beyond_a_limit(odd: str) -> None:
    fault = (PROVES_NOTHING | PROVES_THAT_NOTHING_HAPPENED)[odd]
    # lists fail in one place of the code, whatever is listed: those of the records and a few others stand for all
    for name in [*SINGLE, CALLS[4], CALLS[14], CALLS[16], CALLS[27]]:
        site = scene()
        process = site.process("a")
        at_call(site, name, fault)

        with contextlib.suppress(Exception):  # the loop's own boundary
            process.run()
        for between in (15, 75):
            process.run(after=between)

        check(site)
        asked = site.server.calls.of("create", "pods/eviction")
        # our own call without an answer is refunded 70 s later, after a definite refusal the next may follow at once
        assert asked_twice(asked, within=70.0 if odd in PROVES_NOTHING else 0.0) == []
        assert site.witness.evicted, f"nobody was evicted after {odd} at {name}"


@pytest.mark.parametrize("apart", [-300.0, 0.0, 300.0])
def test_clocks_that_run_apart_or_jump_change_no_limit(apart: float) -> None:
    site = scene()
    site.others["n1"] = 8.0
    site.others["n2"] = 8.0
    site.server.skew = apart
    process = site.process("a")

    for jump in (0.0, apart, -apart, 0.0):
        # the process's clock is set; the server's goes on as it was
        site.clock.jump(jump)
        site.server.skew -= jump
        for between in (15, 30):
            process.run(after=between)
    restarted = site.process("b")
    for between in (20, 300, 300):
        restarted.run(after=between)

    check_limits(site.witness.evicted)
    assert len(site.witness.evicted) == 2
