"""What the ledger says has left its node."""

import math

import pytest

from policies.rules.evictions import read_ledger
from policies.values.pods import Phase, Pod
from policies.values.records import RecordState
from policies.values.workloads import WorkloadRef
from tests.builders import make_cluster, make_pod
from tests.policies.buoyancy.histories import NOW
from tests.policies.rules.worlds import make_record

WEB = WorkloadRef("Deployment", "default", "web")


@pytest.mark.parametrize("state", [RecordState.INTENT, RecordState.ACCEPTED, RecordState.UNKNOWN])
def test_what_may_have_happened_is_believed(state: RecordState) -> None:
    found = read_ledger([make_record(state=state, evidence={"pod.cpu": 0.2, "grace": 0.0})], make_cluster())

    assert [(one.node, one.at, one.scores) for one in found.departures] == [("n1", NOW - 60, {"cpu": 0.2})]


@pytest.mark.parametrize(
    ("evidence", "left_at"),
    [({"grace": 10.0}, NOW - 50), ({}, NOW - 30), ({"grace": 600.0}, NOW), ({"grace": -5.0}, NOW - 60)],
    ids=["known", "unknown", "longer than it took", "nonsense"],
)
def test_a_pod_that_is_gone_left_at_the_end_of_its_grace_at_the_latest(
    evidence: dict[str, float], left_at: float
) -> None:
    found = read_ledger([make_record(evidence=evidence)], make_cluster())

    assert found.departures[0].at == left_at


@pytest.mark.parametrize("state", [RecordState.REFUSED, RecordState.OBSERVED])
def test_what_did_not_happen_is_not(state: RecordState) -> None:
    found = read_ledger([make_record(state=state, workload=WEB)], make_cluster())

    assert (found.departures, found.last_by_node, found.last_by_workload) == ((), {}, {})


def test_the_last_eviction_of_each_node_and_workload_is_kept() -> None:
    records = [make_record("a", ago=90, workload=WEB), make_record("b", ago=30), make_record("c", ago=60, workload=WEB)]

    found = read_ledger(records, make_cluster())

    assert found.last_by_node == {"n1": NOW - 30}
    assert found.last_by_workload == {WEB: NOW - 60}


@pytest.mark.parametrize(
    ("pod", "left_at"),
    [
        (make_pod("gone", terminating=True), math.inf),
        (make_pod("gone", terminating=True, phase=Phase.FAILED), NOW - 30),
        (make_pod("gone"), NOW - 60),
    ],
    ids=["ending", "ended", "running on"],
)
def test_a_pod_that_is_still_ending_has_not_left_yet(pod: Pod, left_at: float) -> None:
    found = read_ledger([make_record("gone")], make_cluster(pods=[pod]))

    assert found.departures[0].at == left_at
    assert found.last_by_node == {"n1": NOW - 60}
