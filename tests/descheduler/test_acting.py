"""Evictions: what comes before the call, and in which order."""

import pytest

from descheduler import acting
from descheduler.ledger import LedgerKeeper
from policies.values.records import RecordState
from policies.values.refusals import Refusal
from simulator.api_server import ApiServer
from simulator.failures import Failure
from simulator.faults import Before, Fail, LostAnswer, LostRequest, Unconnected
from tests.descheduler.acts import EVICTIONS, RECORDS, Process, calls, records, states, victim
from tests.descheduler.builders import WEB
from tests.descheduler.conftest import PutPod


def test_ledger_record_and_lease_come_before_the_call(server: ApiServer, put_pod: PutPod) -> None:
    process, pod = Process(server), put_pod()
    server.calls.clear()

    (attempt,) = process.act(pod)

    assert [f"{call.verb} {call.resource}" for call in server.calls] == [
        "list evictionrecords",
        "create evictionrecords",
        "get pods",
        "create pods/eviction",
        "patch evictionrecords",
    ]
    assert attempt.happened
    assert records(server) == {"uid-web-0": ("Accepted", "201 accepted: 201")}


def test_the_record_says_why_and_where_to(server: ApiServer, put_pod: PutPod) -> None:
    (attempt,) = Process(server).act(put_pod())

    record = attempt.record
    assert record is not None
    assert (record.pod, record.node, record.destination, record.rule) == ("web-0", "n1", "n2", "buoyancy")
    assert (record.workload, str(record.controller)) == (WEB, "ReplicaSet default/web-rs")
    assert (record.evidence, record.policy_hash) == ({"headroom": -0.2, "pod.cpu": 0.5, "grace": 30.0}, "hash")
    assert record.verification.before == {"headroom": -0.2}


def test_what_was_done_is_told_to_the_next_check(server: ApiServer, put_pod: PutPod) -> None:
    process = Process(server)

    process.act(put_pod("web-0"), put_pod("web-1"))

    ledger, done = process.seen[1]
    assert [record.name for record in ledger.records] == ["uid-web-0"]
    assert [each.candidate.pod.name for each in done] == ["web-0"]


def test_a_victim_that_fails_the_check_leaves_no_record(server: ApiServer, put_pod: PutPod) -> None:
    process = Process(server, verdicts=[Refusal("ready-floor", "1 of 2 ready")])

    (attempt,) = process.act(put_pod())

    assert attempt.refusal == Refusal("ready-floor", "1 of 2 ready")
    assert (records(server), calls(server), attempt.happened) == ({}, 0, False)


def test_an_unreadable_ledger_means_no_eviction(server: ApiServer, put_pod: PutPod) -> None:
    process = Process(server)
    server.faults.add(Fail(Failure(403, "Forbidden", "no right")), method="GET", path=RECORDS)

    (attempt,) = process.act(put_pod())

    assert attempt.refusal is not None
    assert attempt.refusal.rail == "ledger"
    assert "403" in attempt.refusal.message
    assert calls(server) == 0


@pytest.mark.parametrize("fault", [LostAnswer(), LostRequest(), Unconnected(), Fail(Failure(507, "", "etcd is full"))])
def test_without_a_written_record_there_is_no_eviction(server: ApiServer, put_pod: PutPod, fault: LostAnswer) -> None:
    process = Process(server)
    server.faults.add(fault, method="POST", path=RECORDS)

    (attempt,) = process.act(put_pod())

    assert attempt.refusal is not None
    assert "could not be written, so nothing is called" in attempt.refusal.message
    assert calls(server) == 0


@pytest.mark.parametrize("state", ["Intent", "Accepted", "Unknown"])
def test_a_pod_that_has_a_record_is_not_evicted_twice(server: ApiServer, put_pod: PutPod, state: str) -> None:
    other = Process(server, "other")
    record = other.keeper.write(
        acting.draft_of(victim(put_pod()), policy_hash=""), name="uid-web-0", state=RecordState(state)
    )
    other.elector.release()

    (attempt,) = Process(server).act(put_pod())

    assert attempt.refusal is not None
    assert f"the record {record.name} of this pod says {state}" in attempt.refusal.message
    assert calls(server) == 0


def test_after_a_refusal_the_next_attempt_has_a_record_of_its_own(server: ApiServer, put_pod: PutPod) -> None:
    server.faults.add(Fail(Failure(403, "Forbidden", "webhook says no")), path=EVICTIONS)
    process, pod = Process(server), put_pod()

    process.act(pod)
    process.act(pod)

    assert states(server) == {"uid-web-0": "Refused", "uid-web-0-2": "Accepted"}


def test_a_record_that_appears_between_list_and_create_wins(server: ApiServer, put_pod: PutPod) -> None:
    process, pod = Process(server), put_pod()
    other = LedgerKeeper(server.connect("b"), namespace="bayplan-system", writer="b", clock=server.clock)
    draft = acting.draft_of(victim(pod), policy_hash="")
    race = Before(lambda: other.write(draft, name="uid-web-0", state=RecordState.INTENT))
    server.faults.add(race, method="POST", path=RECORDS, user="a")

    (attempt,) = process.act(pod)

    assert attempt.refusal is not None
    assert "was written by another process: not evicted twice" in attempt.refusal.message
    assert calls(server) == 0
