"""The order of an eviction, under crashes, lost answers, lost leases, a second process and a paused leader."""

import itertools
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from descheduler import acting
from descheduler.acting import Attempt, Hands, Orders
from descheduler.answers import AnswerKind
from descheduler.elector import Elector, Terms
from descheduler.evictor import ApiEvictor, RecordingEvictor, unled
from descheduler.ledger import Ledger, LedgerKeeper
from policies.rails import pdb
from policies.values.candidates import Candidate, Victim
from policies.values.pods import Pod
from policies.values.records import RecordState
from policies.values.refusals import Refusal
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.failures import Failure
from simulator.faults import After, Before, Delayed, Fail, LostAnswer, LostRequest, Unconnected
from tests.builders import make_pod
from tests.descheduler.builders import WEB
from tests.descheduler.conftest import PutPod
from tests.raw import raw_pdb

EVICTIONS = "*/eviction"
RECORDS = "*/evictionrecords*"
LEASES = "*/leases*"


class Killed(BaseException):
    """SIGKILL: nothing in the process may catch it."""


def killed() -> None:
    """End the process here."""
    raise Killed


@dataclass
class Process:
    """One descheduler process: its elector, its ledger and its hands; a restart is a new one."""

    server: ApiServer
    name: str = "a"
    observing: bool = False
    retry_for: float = 30.0
    verdicts: list[Refusal | None] = field(default_factory=list)
    stopping: bool = False
    outdated: bool = False
    seen: list[tuple[Ledger, tuple[Victim, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.api = self.server.connect(self.name)
        clock = self.server.clock
        terms = Terms(namespace="bayplan-system", holder=self.name)
        self.elector = Elector(self.api, terms, clock=clock)
        self.keeper = LedgerKeeper(self.api, namespace="bayplan-system", writer=self.name, clock=clock)
        self.elector.step()

    def __call__(self, victim: Victim, *, ledger: Ledger, done: tuple[Victim, ...]) -> Victim | Refusal:
        """Answer as the checks would, from a script; without one everybody may go."""
        self.seen.append((ledger, done))
        return (self.verdicts.pop(0) if self.verdicts else None) or victim

    def act(self, *pods: Pod) -> tuple[Attempt, ...]:
        """Attempt to evict these pods."""
        evictor = (
            RecordingEvictor(self.api) if self.observing else ApiEvictor(self.api, barred=unled(self.elector.leads))
        )
        orders = Orders(
            observing=self.observing,
            evictor=evictor,
            retry_for=self.retry_for,
            good_for=60.0,
            draft=lambda victim: acting.draft_of(victim, policy_hash="hash"),
        )
        hands = Hands(
            keeper=self.keeper,
            leads=self.elector.leads,
            stopping=lambda: self.stopping,
            outdated=lambda: self.outdated,
            pause=self.pause,
            clock=self.server.clock,
            rng=random.Random(1),
        )
        return acting.act([victim(pod) for pod in pods], orders=orders, hands=hands, revalidate=self)

    def pause(self, seconds: float) -> bool:
        """Let time pass, renewing the lease on the way as the elector's thread would."""
        while seconds > 0:
            self.server.clock.advance(min(seconds, 2.0))
            self.elector.step()
            seconds -= 2.0
        return self.stopping


def victim(pod: Pod) -> Victim:
    """Return a pod chosen to go to n2."""
    candidate = Candidate(
        pod=pod, node="n1", rule="buoyancy", reason="cpu", workload=WEB, evidence={"headroom": -0.2, "pod.cpu": 0.5}
    )
    return Victim(candidate=candidate, destination="n2")


def records(server: ApiServer) -> dict[str, Any]:
    """Return state and answer of each record."""
    found = {raw["metadata"]["name"]: raw["status"] for raw in server.all("evictionrecords")}
    return {name: (status["state"], status["answer"]) for name, status in found.items()}


def states(server: ApiServer) -> dict[str, str]:
    """Return the state of each record."""
    return {name: state for name, (state, _) in records(server).items()}


def calls(server: ApiServer) -> int:
    """Count the eviction calls that reached the server."""
    return len(server.calls.of("create", "pods/eviction"))


def is_going(server: ApiServer, name: str = "web-0") -> bool:
    """Tell whether a pod is gone or terminating."""
    raw = server.find("pods", name)
    return raw is None or "deletionTimestamp" in raw["metadata"]


# ---------------------------------------------------------------------- the order


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


# ---------------------------------------------------------------------- answers


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


# ---------------------------------------------------------------------- trying again


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


# ---------------------------------------------------------------------- the lease


def test_without_the_lease_nothing_is_read_written_or_called(server: ApiServer, put_pod: PutPod) -> None:
    Process(server, "other")
    process, pod = Process(server), put_pod()
    server.calls.clear()

    (attempt,) = process.act(pod)

    assert attempt.refusal is not None
    assert (attempt.refusal.rail, len(server.calls)) == ("lease", 0)


def test_a_lease_lost_while_the_record_is_written_stops_the_call(
    server: ApiServer, clock: ManualClock, put_pod: PutPod
) -> None:
    process, pod = Process(server), put_pod()
    server.faults.add(After(lambda: clock.advance(11)), method="POST", path=RECORDS)

    (attempt,) = process.act(pod)

    assert (attempt.happened, calls(server)) == (False, 0)
    text = "not called: lease: this process does not hold the lease; seen after the record was written"
    assert records(server) == {"uid-web-0": ("Refused", text)}


def test_fc_080_a_leader_that_loses_the_lease_sends_no_further_eviction(
    server: ApiServer, clock: ManualClock, put_pod: PutPod
) -> None:
    process = Process(server)
    pods = [put_pod(f"web-{number}") for number in range(5)]
    server.faults.add(Unconnected(), path=LEASES, user="a", times=float("inf"))
    server.faults.add(After(lambda: None), path=EVICTIONS)
    server.faults.add(After(lambda: clock.advance(10)), path=EVICTIONS)

    attempts = process.act(*pods)

    assert [attempt.happened for attempt in attempts] == [True, True, False, False, False]
    assert {attempt.refusal.rail for attempt in attempts if attempt.refusal} == {"lease"}
    successor = Process(server, "b")
    clock.advance(16)
    successor.elector.step()
    assert len(successor.keeper.read().records) == 2
    assert successor.act(pods[2])[0].happened


def test_fc_080_a_dry_run_needs_no_lease_and_writes_nothing(server: ApiServer, put_pod: PutPod) -> None:
    Process(server, "leader")
    dry = Process(server, "dry", observing=True)
    pod = put_pod()
    server.calls.clear()

    (attempt,) = dry.act(pod)

    assert (attempt.happened, attempt.record) == (True, None)
    assert {call.verb for call in server.calls} == {"list", "get"}


def test_observing_with_the_lease_writes_observed_records_once_and_calls_nothing(
    server: ApiServer, put_pod: PutPod
) -> None:
    process, pod = Process(server, observing=True), put_pod()

    first, second = process.act(pod)[0], process.act(pod)[0]

    assert records(server) == {"observed-uid-web-0": ("Observed", "observed, not called")}
    assert (first.happened, second.happened, calls(server)) == (True, False, 0)


def test_observing_and_enforcing_take_the_same_path_up_to_the_call(server: ApiServer, put_pod: PutPod) -> None:
    seen: dict[bool, list[str]] = {}
    for observing in (True, False):
        process, pod = Process(server, f"p{observing}", observing=observing), put_pod()
        server.calls.clear()
        process.act(pod)
        seen[observing] = [f"{call.verb} {call.resource}" for call in server.calls]
        process.elector.release()

    assert seen[True] == [call for call in seen[False] if call != "create pods/eviction"]


# ---------------------------------------------------------------------- ending and crashing


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
