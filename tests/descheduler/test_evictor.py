"""The door: what it asks of the API, in which order, and that every answer comes back as a value."""

import math

import pytest

from descheduler.answers import AnswerKind
from descheduler.elector import Elector, Terms
from descheduler.evictor import ApiEvictor, RecordingEvictor, barring, still_runs
from policies.values.pods import Phase, Pod
from policies.values.records import RecordState
from simulator.api_server import ApiServer
from simulator.failures import Failure
from simulator.faults import Delayed, Fail, LostAnswer, LostRequest, Unconnected
from tests.builders import make_pod
from tests.descheduler.conftest import PutPod
from tests.raw import raw_pdb, raw_pod

EVICTION = "*/pods/web-0/eviction"


def door(server: ApiServer) -> ApiEvictor:
    """Return the door of a process that leads."""
    return ApiEvictor(server, barred=lambda: None)


def verbs(server: ApiServer) -> list[str]:
    """Return what was asked of the server, in order."""
    return [f"{call.verb} {call.resource}" for call in server.calls]


def test_a_pod_is_read_then_evicted_with_its_uid_as_precondition(server: ApiServer, put_pod: PutPod) -> None:
    answer = door(server).evict(put_pod())

    assert answer.kind is AnswerKind.ACCEPTED
    assert verbs(server) == ["get pods", "create pods/eviction"]
    body = server.calls.of("create", "pods/eviction")[0].body
    assert body["deleteOptions"] == {"preconditions": {"uid": "uid-web-0"}}


def test_a_pod_that_is_gone_is_not_called_for(server: ApiServer) -> None:
    answer = door(server).evict(make_pod())

    assert answer.kind is AnswerKind.GONE
    assert server.calls.of("create") == []


def test_another_pod_of_the_same_name_costs_no_disruption(server: ApiServer, put_pod: PutPod) -> None:
    server.put(raw_pdb("web", allowed=1))
    put_pod(uid="uid-new")

    answer = door(server).evict(make_pod())

    assert str(answer) == "409 another pod of that name: default/web-0 now has UID uid-new, decided on was uid-web-0"
    pdb = server.find("poddisruptionbudgets", "web")
    assert pdb is not None
    assert pdb["status"]["disruptionsAllowed"] == 1


def test_terminating_and_ended_pods_are_left_alone(server: ApiServer, put_pod: PutPod) -> None:
    pod = put_pod(deletionTimestamp="2027-01-15T08:00:30Z", deletionGracePeriodSeconds=30)
    server.put(raw_pod("web-1", phase=Phase.SUCCEEDED))

    kinds = [door(server).evict(each).kind for each in (pod, make_pod("web-1"))]

    assert kinds == [AnswerKind.TERMINATING, AnswerKind.GONE]
    assert server.calls.of("create") == []


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Unconnected(), AnswerKind.NOT_REACHED),
        (LostRequest(), AnswerKind.NOT_REACHED),
        (Fail(Failure(500, "InternalError", "no")), AnswerKind.NOT_REACHED),
        (Fail(Failure(403, "Forbidden", "no")), AnswerKind.NOT_CALLED),
    ],
)
def test_a_pod_that_cannot_be_read_is_not_evicted(
    server: ApiServer, put_pod: PutPod, fault: Unconnected | Fail | LostRequest, kind: AnswerKind
) -> None:
    server.faults.add(fault, method="GET", path="*/pods/web-0")

    answer = door(server).evict(put_pod())

    assert answer.kind is kind
    assert server.calls.of("create") == []


def test_a_read_that_is_throttled_may_be_tried_again(server: ApiServer, put_pod: PutPod) -> None:
    server.faults.add(Fail(Failure(429, "TooManyRequests", "busy", retry_after=3)), method="GET")

    answer = door(server).evict(put_pod())

    assert (answer.kind, answer.retry_after, answer.may_try_again) == (AnswerKind.THROTTLED, 3.0, True)


def test_a_budget_that_says_no_is_a_429_with_its_cause(server: ApiServer, put_pod: PutPod) -> None:
    server.put(raw_pdb("web", allowed=0))

    answer = door(server).evict(put_pod())

    assert (answer.kind, answer.may_try_again) == (AnswerKind.BUDGET, True)
    assert "The disruption budget web needs 1 healthy pods and has 1 currently" in answer.text


def test_fc_026_two_budgets_on_one_pod_are_not_tried_again(server: ApiServer, put_pod: PutPod) -> None:
    server.put(raw_pdb("web", allowed=1), raw_pdb("all", allowed=1))

    answer = door(server).evict(put_pod())

    assert (answer.kind, answer.may_try_again) == (AnswerKind.SEVERAL_BUDGETS, False)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (LostAnswer(), AnswerKind.UNKNOWN),
        (LostRequest(), AnswerKind.UNKNOWN),
        (Delayed(30.0), AnswerKind.UNKNOWN),
        (Delayed(1.0), AnswerKind.ACCEPTED),
        (Unconnected(), AnswerKind.NOT_REACHED),
        (Fail(Failure(504, "Timeout", "etcd")), AnswerKind.UNKNOWN),
        (Fail(Failure(403, "Forbidden", "no right")), AnswerKind.FORBIDDEN),
        (Fail(Failure(409, "Conflict", "the object has been modified")), AnswerKind.CONFLICT),
        (Fail(Failure(429, "TooManyRequests", "too many requests", retry_after=1)), AnswerKind.THROTTLED),
    ],
)
def test_faults_of_the_call_become_answers(
    server: ApiServer, put_pod: PutPod, fault: Fail | LostAnswer | Delayed, kind: AnswerKind
) -> None:
    server.faults.add(fault, method="POST", path=EVICTION)

    assert door(server).evict(put_pod()).kind is kind


def test_the_call_ends_after_two_seconds(server: ApiServer, put_pod: PutPod) -> None:
    server.faults.add(Delayed(math.inf), method="POST", path=EVICTION)
    before = server.monotonic()

    door(server).evict(put_pod())

    assert server.monotonic() - before == 2.0


def test_observing_reads_the_pod_and_calls_nothing(server: ApiServer, put_pod: PutPod) -> None:
    evictor = RecordingEvictor(server)
    pod: Pod = put_pod()

    seen, gone = evictor.evict(pod), evictor.evict(make_pod("web-9"))

    assert (seen.kind, gone.kind) == (AnswerKind.OBSERVED, AnswerKind.GONE)
    assert evictor.recorded == [pod]
    assert verbs(server) == ["get pods", "get pods"]


def test_a_lease_that_ran_out_while_the_pod_was_read_stops_the_call(server: ApiServer, put_pod: PutPod) -> None:
    elector = Elector(server, Terms(namespace="bayplan-system", holder="a"), clock=server.clock)
    elector.step()
    server.clock.advance(9)
    server.faults.add(Delayed(4.9), method="GET", path="*/pods/web-0")

    answer = ApiEvictor(
        server, barred=barring(leads=elector.leads, stopping=lambda: False, outdated=lambda: False)
    ).evict(put_pod())

    assert str(answer) == "not called: the lease was lost, seen once the pod was read"
    assert server.calls.of("create", "pods/eviction") == []


@pytest.mark.parametrize(
    ("leads", "stopping", "outdated", "why"),
    [
        (True, False, False, None),
        (True, True, False, "the process is ending"),
        (False, False, True, "the lease was lost"),
        (True, False, True, "another policy has come into force"),
    ],
)
def test_what_bars_single_evictions_to_the_last(
    *, leads: bool, stopping: bool, outdated: bool, why: str | None
) -> None:
    assert barring(leads=lambda: leads, stopping=lambda: stopping, outdated=lambda: outdated)() == why


def test_a_veto_that_the_decision_did_not_know_of_stops_the_call(server: ApiServer, put_pod: PutPod) -> None:
    pod = put_pod(annotations={"bayplan.dev/no-evict": "true"})

    answer = door(server).evict(pod)

    assert str(answer) == "vetoed meanwhile: default/web-0 carries bayplan.dev/no-evict"
    assert server.calls.of("create", "pods/eviction") == []
    assert answer.state is RecordState.REFUSED


def test_whether_a_pod_still_runs_is_no_question_of_vetoes(server: ApiServer, put_pod: PutPod) -> None:
    vetoed, going = put_pod(annotations={"bayplan.dev/no-evict": ""}), make_pod("web-9")
    server.faults.add(Unconnected(), path="*/web-8")

    assert [still_runs(server, pod) for pod in (vetoed, going, make_pod("web-8"))] == [True, False, None]
