"""What the API's answers become, and which evictions are tried again."""

import itertools

from descheduler.answers import AnswerKind
from policies.rails import pdb
from policies.values.refusals import Refusal
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.failures import Failure
from simulator.faults import After, Fail, LostAnswer
from tests.descheduler.acts import (
    EVICTIONS,
    RECORDS,
    Process,
    calls,
    records,
    states,
)
from tests.descheduler.conftest import PutPod
from tests.raw import raw_pdb


def test_an_unknown_answer_is_kept_as_unknown_and_not_tried_again(server: ApiServer, put_pod: PutPod) -> None:
    server.faults.add(LostAnswer(), path=EVICTIONS)
    process, pod = Process(server), put_pod()

    (attempt,) = process.act(pod)
    (again,) = process.act(pod)

    assert (attempt.happened, states(server), calls(server)) == (True, {"uid-web-0": "Unknown"}, 1)
    assert again.refusal is not None
    assert process.keeper.open_calls


def test_a_pod_that_vanished_is_refunded(server: ApiServer, put_pod: PutPod) -> None:
    process, pod = Process(server), put_pod()
    server.faults.add(After(lambda: server.remove("pods", "web-0")), method="POST", path=RECORDS)

    (attempt,) = process.act(pod)

    assert (attempt.happened, states(server), calls(server)) == (False, {"uid-web-0": "Refused"}, 0)


def test_fc_084_an_evacuation_that_began_counts_as_in_flight(server: ApiServer, put_pod: PutPod) -> None:
    text = 'admission webhook "virt" denied the request: Eviction triggered evacuation of VMI "default/web-0"'
    server.faults.add(Fail(Failure(429, "TooManyRequests", text)), path=EVICTIONS)

    (attempt,) = Process(server).act(put_pod())

    assert attempt.happened
    assert (states(server), calls(server)) == ({"uid-web-0": "Accepted"}, 1)


def test_fc_083_each_request_ends_in_exactly_one_record_state(server: ApiServer, put_pod: PutPod) -> None:
    # (b): the pod is gone before the answer to the call arrives
    server.faults.add(After(lambda: server.remove("pods", "web-0")), path=EVICTIONS)

    (attempt,) = Process(server).act(put_pod())

    assert attempt.answer is not None
    assert (attempt.answer.kind, states(server)) == (AnswerKind.ACCEPTED, {"uid-web-0": "Accepted"})


def test_fc_025_a_budget_that_comes_back_within_the_deadline_is_waited_for(
    server: ApiServer, clock: ManualClock, put_pod: PutPod
) -> None:
    server.put(raw_pdb("web", allowed=0))
    clock.call_after(240, lambda: server.put(raw_pdb("web", allowed=1)))
    process, pod = Process(server, retry_for=600), put_pod()
    began = clock.monotonic()

    (attempt,) = process.act(pod)

    assert attempt.happened
    assert states(server) == {"uid-web-0": "Accepted"}
    assert 240 <= clock.monotonic() - began <= 300
    times = [call.at for call in server.calls.of("create", "pods/eviction")]
    pauses = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert len(pauses) > 5
    assert pauses[0] < pauses[2] < pauses[4]
    assert max(pauses) <= 46


def test_fc_025_after_the_deadline_the_move_is_dropped_with_outcome_timeout(
    server: ApiServer, clock: ManualClock, put_pod: PutPod
) -> None:
    server.put(raw_pdb("web", allowed=0))
    process, pod = Process(server, retry_for=600), put_pod()
    began = clock.monotonic()

    (attempt,) = process.act(pod)

    assert attempt.answer is not None
    assert str(attempt.answer).startswith("given up: timeout: ")
    assert "The disruption budget web needs 1 healthy pods" in attempt.answer.text
    assert states(server) == {"uid-web-0": "Refused"}
    assert 500 <= clock.monotonic() - began <= 600


def test_waiting_for_one_victim_does_not_let_the_reasons_of_the_next_grow_old(
    server: ApiServer, put_pod: PutPod
) -> None:
    server.put(raw_pdb("web", allowed=0))
    process = Process(server, retry_for=120)

    first, second = process.act(put_pod("web-0"), put_pod("web-1"))

    assert first.answer is not None
    assert first.answer.kind is AnswerKind.GIVEN_UP
    assert second.refusal is not None
    assert str(second.refusal) == "stale-decision: decided more than 60 s ago; the next cycle decides anew"


def test_retry_after_is_kept(server: ApiServer, put_pod: PutPod) -> None:
    server.faults.add(Fail(Failure(429, "TooManyRequests", "busy", retry_after=17)), path=EVICTIONS)
    process, pod = Process(server), put_pod()

    process.act(pod)

    first, second = (call.at for call in server.calls.of("create", "pods/eviction"))
    assert 17 <= second - first <= 26


def test_everything_is_checked_again_before_another_try_but_its_own_record(server: ApiServer, put_pod: PutPod) -> None:
    server.faults.add(Fail(Failure(429, "TooManyRequests", "busy")), path=EVICTIONS)
    process = Process(server, verdicts=[None, Refusal("vetoed", "do-not-disrupt")])

    (attempt,) = process.act(put_pod())

    assert attempt.refusal == Refusal("vetoed", "do-not-disrupt")
    assert process.seen[1][0].records == ()
    assert records(server) == {"uid-web-0": ("Refused", "not called: vetoed: do-not-disrupt")}
    assert calls(server) == 1


def test_a_budget_seen_at_zero_between_two_tries_is_waited_for_without_a_call(
    server: ApiServer, put_pod: PutPod
) -> None:
    server.faults.add(Fail(Failure(429, "TooManyRequests", "busy")), path=EVICTIONS)
    process = Process(server, verdicts=[None, Refusal(pdb.RAIL, "0 allowed"), Refusal(pdb.RAIL, "0 allowed"), None])

    (attempt,) = process.act(put_pod())

    assert (attempt.happened, calls(server)) == (True, 2)
