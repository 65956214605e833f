"""The ledger on the in-memory API: what it reads, what it writes, and what it closes of its own."""

from collections.abc import Callable
from typing import Any

import pytest

from descheduler.answers import AnswerKind, EvictionAnswer
from descheduler.ledger import LedgerKeeper, LedgerUnreadable
from policies.values.records import EvictionRecord, Landing, RecordState, Verification
from simulator.api_server import ApiServer
from simulator.clock import START, ManualClock
from simulator.failures import Failure
from simulator.faults import After, Before, Fail, LostAnswer, LostRequest, Unconnected
from sources.kube import errors
from tests.descheduler.builders import landed, make_record

RECORDS = "*/evictionrecords*"
UNKNOWN = EvictionAnswer(AnswerKind.UNKNOWN, "2 s passed")


def keeper(server: ApiServer, writer: str = "a") -> LedgerKeeper:
    """Return the ledger's keeper in one process."""
    return LedgerKeeper(server.connect(writer), namespace="bayplan-system", writer=writer, clock=server.clock)


def write(keeper: LedgerKeeper, name: str = "uid-web-0", state: RecordState = RecordState.INTENT) -> EvictionRecord:
    """Write a record and return it."""
    return keeper.write(make_record(), name=name, state=state)


def runs(answer: bool | None) -> Callable[[EvictionRecord], bool | None]:  # noqa: FBT001  # what it answers
    """Return a look at pods that says this of every one."""
    return lambda _: answer


def states(server: ApiServer) -> dict[str, Any]:
    """Return the state of each record in the cluster."""
    return {raw["metadata"]["name"]: raw["status"]["state"] for raw in server.all("evictionrecords")}


def test_a_record_carries_the_servers_time_and_its_writer(server: ApiServer) -> None:
    server.skew = 40.0
    ledger = keeper(server)

    written = write(ledger)
    read = ledger.read()

    assert (written.at, written.writer, read.records, read.now) == (START + 40, "a", (written,), START + 40)


def test_many_records_are_read_in_pages_of_one_version(server: ApiServer) -> None:
    ledger = keeper(server)
    for number in range(501):
        write(ledger, f"uid-{number}")
    late = Before(lambda: write(keeper(server, "b"), "uid-late"))
    server.calls.clear()
    server.faults.add(Before(lambda: server.faults.add(late, method="GET")), method="GET")

    read = ledger.read()

    assert len(read.records) == 501
    assert [call.query.get("resourceVersion") for call in server.calls.of("list")] == [None, None]


@pytest.mark.parametrize("fault", [Fail(Failure(403, "Forbidden", "no right to list")), LostAnswer(), Unconnected()])
def test_a_ledger_that_cannot_be_listed_is_unreadable(server: ApiServer, fault: Fail) -> None:
    server.faults.add(fault, method="GET", path=RECORDS)

    with pytest.raises(LedgerUnreadable, match="the eviction records of bayplan-system cannot be read"):
        keeper(server).read()


def test_a_continue_token_that_runs_out_begins_the_list_anew_and_in_the_end_makes_it_unreadable(
    server: ApiServer,
) -> None:
    ledger = keeper(server)
    for number in range(501):
        write(ledger, f"uid-{number}")
    expired = Fail(Failure(410, "Expired", "the continue token is too old"))

    def second_page_fails(times: int) -> None:
        for _ in range(times):
            server.faults.add(After(lambda: None), method="GET")
            server.faults.add(expired, method="GET")

    second_page_fails(2)
    assert len(ledger.read().records) == 501
    second_page_fails(3)
    with pytest.raises(LedgerUnreadable, match="410"):
        ledger.read()


def test_one_malformed_record_makes_the_whole_ledger_unreadable(server: ApiServer) -> None:
    ledger = keeper(server)
    raw = {"apiVersion": "bayplan.dev/v1alpha1", "kind": "EvictionRecord"}
    server.put(raw | {"metadata": {"name": "odd", "namespace": "bayplan-system"}, "spec": {"pod": {}}})

    with pytest.raises(LedgerUnreadable, match="bayplan-system/odd: KeyError: 'uid'"):
        ledger.read()


def test_the_second_process_cannot_write_the_same_record(server: ApiServer) -> None:
    write(keeper(server, "a"))

    with pytest.raises(errors.AlreadyExists):
        write(keeper(server, "b"))


def test_an_outcome_is_written_at_once(server: ApiServer) -> None:
    ledger = keeper(server)

    done = ledger.conclude(write(ledger), EvictionAnswer(AnswerKind.ACCEPTED, "201"))

    assert (done.state, ledger.read().records[0].answer) == (RecordState.ACCEPTED, "201 accepted: 201")


@pytest.mark.parametrize("fault", [LostRequest(), LostAnswer(), Unconnected()])
def test_an_outcome_that_could_not_be_written_is_written_in_the_next_cycle(
    server: ApiServer, fault: LostAnswer
) -> None:
    ledger = keeper(server)
    record = write(ledger)
    ledger.calling(record)
    server.faults.add(fault, method="PATCH", path=RECORDS)

    ledger.conclude(record, EvictionAnswer(AnswerKind.ACCEPTED))
    assert ledger.open_calls
    settled = ledger.settle(ledger.read(), runs=runs(None))

    assert (states(server), settled.records[0].state) == ({"uid-web-0": "Accepted"}, RecordState.ACCEPTED)
    assert not ledger.open_calls


def test_an_outcome_whose_record_is_gone_is_only_logged(server: ApiServer, caplog: pytest.LogCaptureFixture) -> None:
    ledger = keeper(server)
    record = write(ledger)
    server.remove("evictionrecords", record.name, "bayplan-system")

    ledger.conclude(record, EvictionAnswer(AnswerKind.ACCEPTED))

    assert "the record uid-web-0 is gone, its outcome 201 accepted is not kept" in caplog.text
    assert not ledger.open_calls


def test_our_own_unanswered_call_is_accepted_once_the_pod_is_gone(server: ApiServer) -> None:
    ledger = keeper(server)
    record = write(ledger)
    ledger.calling(record)
    ledger.conclude(record, UNKNOWN)

    settled = ledger.settle(ledger.read(), runs=runs(False))

    assert (states(server)["uid-web-0"], settled.records[0].state) == ("Accepted", RecordState.ACCEPTED)


def test_our_own_unanswered_call_is_refunded_only_when_the_pod_still_runs_70_seconds_later(
    server: ApiServer, clock: ManualClock
) -> None:
    ledger = keeper(server)
    record = write(ledger)
    ledger.calling(record)
    ledger.conclude(record, UNKNOWN)

    clock.advance(69.9)
    ledger.settle(ledger.read(), runs=runs(True))
    early = states(server)["uid-web-0"]
    clock.advance(0.1)
    ledger.settle(ledger.read(), runs=runs(True))

    assert (early, states(server)["uid-web-0"]) == ("Unknown", "Refused")
    assert ledger.read().records[0].answer == "refused: no answer, and the pod still runs 70 s later"


def test_nothing_is_settled_on_a_pod_that_cannot_be_read(server: ApiServer, clock: ManualClock) -> None:
    ledger = keeper(server)
    record = write(ledger)
    ledger.calling(record)
    ledger.conclude(record, UNKNOWN)
    clock.advance(3600)

    ledger.settle(ledger.read(), runs=runs(None))

    assert states(server) == {"uid-web-0": "Unknown"}


@pytest.mark.parametrize("state", [RecordState.INTENT, RecordState.UNKNOWN])
def test_what_another_process_left_open_stays_as_it_is(
    server: ApiServer, clock: ManualClock, state: RecordState
) -> None:
    write(keeper(server, "dead"), state=state)
    clock.advance(86400)
    ledger = keeper(server, "next")

    ledger.settle(ledger.read(), runs=runs(True))

    assert states(server) == {"uid-web-0": state.value}


def test_a_record_whose_creation_gave_no_answer_was_never_called_for(server: ApiServer) -> None:
    ledger = keeper(server)
    server.faults.add(LostAnswer(), method="POST", path=RECORDS)
    with pytest.raises(errors.TimedOut):
        write(ledger)

    ledger.settle(ledger.read(), runs=runs(True))

    assert states(server) == {"uid-web-0": "Refused"}
    assert ledger.read().records[0].answer == "not called: the record's creation gave no answer"


def test_the_landing_and_the_outcome_do_not_undo_each_other(server: ApiServer) -> None:
    ledger, other = keeper(server, "a"), keeper(server, "b")
    before = Verification(before={"headroom": -0.1})
    record = ledger.write(make_record(verification=before), name="uid-web-0", state=RecordState.INTENT)

    ledger.conclude(record, EvictionAnswer(AnswerKind.ACCEPTED))
    seen = Verification(landing=Landing.MOVED, replacement="web-9", replacement_uid="u", node="n2", ready_at=START)
    assert other.land(record, seen)
    ledger.conclude(record, EvictionAnswer(AnswerKind.ACCEPTED))

    read = ledger.read().records[0]
    assert read.state is RecordState.ACCEPTED
    assert (read.verification.landing, read.verification.node) == (Landing.MOVED, "n2")
    assert read.verification.before == {"headroom": -0.1}


def test_a_landing_that_could_not_be_written_is_found_again(server: ApiServer) -> None:
    ledger = keeper(server)
    record = write(ledger)
    server.faults.add(Unconnected(), method="PATCH")

    assert not ledger.land(record, landed(Landing.MOVED))
    assert ledger.land(record, landed(Landing.MOVED))


def test_old_records_are_deleted_a_hundred_at_a_time_and_only_as_they_were_read(server: ApiServer) -> None:
    ledger = keeper(server)
    for number in range(102):
        write(ledger, f"uid-{number:03}", RecordState.REFUSED)
    records = ledger.read().records
    ledger.land(records[0], landed(Landing.MOVED))

    assert ledger.forget(records) == 99
    assert sorted(states(server)) == ["uid-000", "uid-100", "uid-101"]


def test_a_ledger_without_one_record_is_what_its_own_attempt_looks_at(server: ApiServer) -> None:
    ledger = keeper(server)
    write(ledger, "a")
    other = write(ledger, "b")

    assert ledger.read().without("a").records == (other,)
