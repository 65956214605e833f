"""Processes that are told to end, are killed or paused in the middle of an eviction."""

import pytest

from descheduler import acting
from descheduler.acting import Attempt
from policies.values.records import RecordState
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.faults import After, Before, Delayed
from tests.builders import make_pod
from tests.descheduler.acts import EVICTIONS, RECORDS, Killed, Process, calls, is_going, killed, records, states, victim
from tests.descheduler.conftest import PutPod
from tests.raw import raw_pdb


def test_a_process_that_is_told_to_end_starts_nothing_new(server: ApiServer, put_pod: PutPod) -> None:
    process = Process(server)
    pods = [put_pod("web-0"), put_pod("web-1")]

    def stop() -> None:
        process.stopping = True

    server.faults.add(After(stop), path=EVICTIONS)

    first, second = process.act(*pods)

    assert first.happened
    assert second.refusal is not None
    assert second.refusal.rail == "stopping"
    assert states(server) == {"uid-web-0": "Accepted"}


def test_another_policy_ends_the_attempt_before_and_after_the_record(server: ApiServer, put_pod: PutPod) -> None:
    process = Process(server)

    def exchange() -> None:
        process.outdated = True

    server.faults.add(After(exchange), method="POST", path=RECORDS)

    first, second = process.act(put_pod("web-0"), put_pod("web-1"))

    assert [attempt.refusal and attempt.refusal.rail for attempt in (first, second)] == ["policy-changed"] * 2
    assert (states(server), calls(server)) == ({"uid-web-0": "Refused"}, 0)


def test_a_process_told_to_end_while_it_waits_records_what_it_has(server: ApiServer, put_pod: PutPod) -> None:
    process = Process(server, retry_for=600)
    server.put(raw_pdb("web", allowed=0))

    def stop() -> None:
        process.stopping = True

    server.faults.add(Before(stop), path=EVICTIONS)

    (attempt,) = process.act(put_pod())

    assert attempt.refusal is not None
    assert records(server) == {"uid-web-0": ("Refused", "not called: stopping: the process is ending")}


@pytest.mark.parametrize(
    ("crash", "path", "evicted"),
    [
        pytest.param(After(killed), RECORDS, False, id="between intent and eviction"),
        pytest.param(After(killed), EVICTIONS, True, id="between eviction and answer"),
        pytest.param(Before(killed), EVICTIONS, False, id="while the call is on its way"),
    ],
)
def test_a_killed_process_is_counted_once_and_not_repeated(
    server: ApiServer,
    clock: ManualClock,
    put_pod: PutPod,
    crash: After | Before,
    path: str,
    evicted: bool,  # noqa: FBT001  # a column of the table
) -> None:
    server.faults.add(crash, method="POST", path=path)
    pod = put_pod()
    with pytest.raises(Killed):
        Process(server, "killed").act(pod)

    clock.advance(20)
    successor = Process(server, "next")
    successor.elector.step()
    clock.advance(15)
    successor.elector.step()
    ledger = successor.keeper.settle(successor.keeper.read(), runs=lambda _: not evicted)
    (attempt,) = successor.act(pod)

    assert successor.elector.leads()
    assert [(record.state, record.counts) for record in ledger.records] == [(RecordState.INTENT, True)]
    assert attempt.refusal is not None
    assert (is_going(server), len(states(server)), states(server)) == (evicted, 1, {"uid-web-0": "Intent"})


@pytest.mark.parametrize("seconds", [15.0, 30.0, 300.0])
def test_a_leader_paused_before_its_call_neither_doubles_nor_exceeds(
    server: ApiServer, clock: ManualClock, put_pod: PutPod, seconds: float
) -> None:
    old, new, pod = Process(server, "old"), Process(server, "new"), put_pod()
    taken: list[Attempt] = []

    def paused() -> None:
        """SIGSTOP after the lease was found fresh: another process takes over meanwhile and wants the same pod."""
        clock.advance(seconds)
        assert new.elector.step()
        taken.extend(new.act(pod))

    server.faults.add(Before(paused), path=EVICTIONS, user="old")

    (late,) = old.act(pod)

    assert late.happened
    assert taken[0].refusal is not None
    assert "the record uid-web-0 of this pod says Intent" in taken[0].refusal.message
    assert len(new.seen[0][0].records) == 1
    assert (calls(server), states(server)) == (1, {"uid-web-0": "Accepted"})


def test_a_call_that_arrives_late_is_still_only_one(server: ApiServer, clock: ManualClock, put_pod: PutPod) -> None:
    server.faults.add(Delayed(20.0), path=EVICTIONS)
    process, pod = Process(server), put_pod()

    process.act(pod)
    assert (states(server), is_going(server)) == ({"uid-web-0": "Unknown"}, False)
    clock.advance(25)
    assert is_going(server)
    process.keeper.settle(process.keeper.read(), runs=lambda _: not is_going(server))

    assert states(server) == {"uid-web-0": "Accepted"}
    assert calls(server) == 1


def test_a_bare_pods_draft_has_no_controller() -> None:
    assert acting.draft_of(victim(make_pod(owner=None)), policy_hash="").controller is None
