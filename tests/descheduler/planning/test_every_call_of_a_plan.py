"""What a plan survives at each of its calls: death, a pause, a lost or an odd answer; each call in turn, none left out.

However it goes: nobody is evicted twice, none without a record, none after a replica dropped the plan; nothing stays
reserved; every workload is back to its replicas in the end.
"""

import contextlib
from collections.abc import Callable
from typing import Any, Final

import pytest

from simulator.calls import Call
from simulator.faults import After, Before, Fault
from tests.descheduler.planning.site import Process, Site, paper
from tests.descheduler.planning.under_way import started
from tests.descheduler.test_every_call import (
    PROVES_NOTHING,
    PROVES_THAT_NOTHING_HAPPENED,
    Killed,
    asked_twice,
    nothing,
    uid_of,
)


def calls_of_a_plan() -> list[Call]:
    """Return the calls of a process that carries out a plan undisturbed, in their order."""
    site = paper(grace=2)
    process = started(site)
    before = len(site.server.calls)
    assert process.attempt().outcome == "Completed"
    return [call for call in list(site.server.calls)[before:] if call.user == "a"]


CALLS: Final = [f"{at}: {call.verb} {call.resource}" for at, call in enumerate(calls_of_a_plan())]
# Waiting repeats the same lists again and again: each place of the code once.
KINDS: Final = {name.partition(": ")[2]: name for name in reversed(CALLS)}
PLACES: Final = [name for name in CALLS if ": list " not in name or KINDS[name.partition(": ")[2]] == name]


# After a read the server is as before it, and the process is gone: only a write has a death behind it of its own.
DEATHS: Final = [
    (name, when)
    for when in (Before, After)
    for name in PLACES
    if when is Before or name.split()[1] not in {"get", "list"}
]


def at_call(site: Site, name: str, fault: Fault) -> None:
    """Let the call of process `a` with this number, from now on, meet a fault."""
    site.server.faults.add(Before(nothing), user="a", times=int(name.partition(":")[0]))
    site.server.faults.add(fault, user="a")


def kill(site: Site, process: Process) -> Callable[[], None]:
    """Return what ends a process: it raises now, and nothing that the process still tries gets through."""

    def killed() -> None:
        process.frozen = True
        site.server.faults.add(Before(_raise), user="a", times=float("inf"))
        _raise()

    return killed


def _raise() -> None:
    raise Killed


def settle(process: Process) -> None:
    """Let another process take over and try again until nothing is left to do."""
    process.pause(20)
    for _ in range(3):
        with contextlib.suppress(Exception):  # the boundary of the plans' task
            process.attempt()
        process.pause(15)


def check(site: Site) -> None:
    """Fail where something was evicted that must not be, stays reserved, or was not put back."""
    recorded: set[tuple[str, str]] = set()
    for call in site.server.calls:
        if call.resource == "evictionrecords" and call.verb == "create":
            recorded.add((call.user, uid_of(call)))
        if call.resource == "pods/eviction":
            assert (call.user, uid_of(call)) in recorded, f"{call} without a record"
    assert not site.server.calls.of("delete", "pods")
    site.wait(60)
    assert set(site.witness.evicted) <= {"uid-pod3-0"}
    assert site.slot().plan is None
    assert all(plan.phase.ended for plan in site.plans())
    assert all(replica.plan is None for replica in site.extenders.values())
    places = site.places()
    assert sorted(places) == ["pod1", "pod2", "pod3", "pod4"]
    assert all("," not in (place or "") for place in places.values()), places
    assert "-" not in {places["pod1"], places["pod2"], places["pod3"]}


def evictions_of(site: Site) -> list[Call]:
    return site.server.calls.of("create", "pods/eviction")


@pytest.mark.parametrize(("name", "when"), DEATHS)
def test_leader_that_dies_at_any_call_is_followed_by_one_that_repeats_nothing(
    name: str, when: Callable[[Callable[[], object]], Fault]
) -> None:
    site = paper(grace=2)
    first = started(site)
    at_call(site, name, when(kill(site, first)))

    with contextlib.suppress(Killed):
        first.attempt()
    settle(site.process("b"))

    check(site)
    assert asked_twice(evictions_of(site), within=1e9) == []


@pytest.mark.parametrize("name", PLACES)
def test_leader_paused_at_any_call_starts_nothing_once_another_has_taken_over(name: str) -> None:
    site = paper(grace=2)
    first, second = started(site), site.process("b")
    meanwhile: list[Call] = []

    def elsewhere() -> None:
        first.frozen = True
        settle(second)
        first.frozen = False
        meanwhile.extend(site.server.calls)

    at_call(site, name, Before(elsewhere))

    with contextlib.suppress(Exception):  # the boundary of the plans' task
        first.attempt()
    site.server.faults.clear()
    settle(second)

    check(site)
    assert asked_twice(evictions_of(site), within=1e9) == []
    # the call in which it was paused had been sent and is carried out; it stands among those before
    late = list(site.server.calls)[len(meanwhile) :] if meanwhile else []
    assert [str(call) for call in late if call.user == "a" and call.resource == "pods/eviction"] == []


ODD: Final = (*PROVES_NOTHING, "not connected", "404", "409", "429")


@pytest.mark.parametrize("odd", ODD)
def test_no_odd_answer_to_any_call_evicts_twice_or_leaves_anything_reserved(odd: str) -> None:
    fault: Any = (PROVES_NOTHING | PROVES_THAT_NOTHING_HAPPENED)[odd]
    for name in KINDS.values():
        site = paper(grace=2)
        process = started(site)
        at_call(site, name, fault)

        with contextlib.suppress(Exception):  # the boundary of the plans' task
            process.attempt()
        site.server.faults.clear()
        settle(process)

        check(site)
        # our own call without an answer is refunded 70 s later, after a definite refusal the next may follow at once
        assert asked_twice(evictions_of(site), within=70.0 if odd in PROVES_NOTHING else 0.0) == [], name


@pytest.mark.parametrize("apart", [-300.0, 300.0])
def test_clocks_that_run_apart_change_nothing(apart: float) -> None:
    site = paper(grace=2)
    site.server.skew = apart
    process = started(site)
    site.clock.jump(-apart)

    result = process.attempt()

    assert result.outcome == "Completed"
    check(site)
