"""Keeping a workload off the nodes it was just evicted from."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.placement.filtering import decide_filter
from policies.placement.reasons import Reason
from policies.placement.steering import owners, steered_nodes, steers, workload_of
from policies.values.pods import Owner
from policies.values.records import EvictionRecord, RecordState
from policies.values.workloads import WorkloadRef
from tests.builders import NOW, make_pod
from tests.policies.placement.cases import make_view, requests

WEB = WorkloadRef("Deployment", "default", "web")


def make_record(name: str = "u1", *, node: str = "n1", at: float = NOW - 60, **changes: Any) -> EvictionRecord:
    defaults: dict[str, Any] = {
        "pod_uid": name,
        "pod": "web-0",
        "namespace": "default",
        "rule": "buoyancy",
        "reason": "cpu",
        "state": RecordState.ACCEPTED,
        "workload": WEB,
    }
    return EvictionRecord(name=name, node=node, at=at, **(defaults | changes))


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (RecordState.INTENT, True),
        (RecordState.ACCEPTED, True),
        (RecordState.UNKNOWN, True),
        (RecordState.REFUSED, False),
        (RecordState.OBSERVED, False),
    ],
)
def test_what_may_have_happened_steers_and_what_did_not_does_not(state: RecordState, *, expected: bool) -> None:
    assert steers(make_record(state=state), now=NOW, avoid_source=600.0) is expected


def test_steering_ends_after_its_time() -> None:
    record = make_record(at=NOW - 600)

    assert not steers(record, now=NOW, avoid_source=600.0)
    assert steers(record, now=NOW - 1, avoid_source=600.0)


def test_the_newest_eviction_from_a_node_counts() -> None:
    records = [
        make_record("u0", node="n3", at=NOW - 900),
        make_record("u1", at=NOW - 500),
        make_record("u2", at=NOW - 5),
        make_record("u3", node="n2"),
    ]

    assert steered_nodes(records, now=NOW, avoid_source=600.0) == {"n1": NOW - 5, "n2": NOW - 60}


def test_a_steered_node_is_refused_while_another_is_left() -> None:
    decision = decide_filter(make_pod(node=None), ["n1", "n2"], make_view(steered={"n1": NOW}))

    assert decision.passed == ["n2"]
    assert decision.refused == {Reason.STEERING: ["n1"]}


def test_the_only_name_of_a_request_is_not_steered_away_from() -> None:
    assert decide_filter(make_pod(node=None), ["n1"], make_view(steered={"n1": NOW})).passed == ["n1"]


def test_of_steered_nodes_alone_the_one_left_longest_ago_stays() -> None:
    view = make_view(steered={"n1": NOW - 10, "n2": NOW - 500, "n3": NOW - 20})

    assert decide_filter(make_pod(node=None), ["n1", "n2", "n3"], view).passed == ["n2"]


@given(names=requests(min_size=1), steered=st.dictionaries(st.sampled_from(["n1", "n2", "n3"]), st.floats(0, 100)))
def test_steering_never_empties_a_list(names: list[str], steered: dict[str, float]) -> None:
    assert decide_filter(make_pod(node=None), names, make_view(steered=steered)).passed


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"owner": None}, ()),
        ({"owner": Owner("StatefulSet", "db")}, (WorkloadRef("StatefulSet", "default", "db"),)),
        ({"owner": Owner("ReplicaSet", "lonely")}, (WorkloadRef("ReplicaSet", "default", "lonely"),)),
        (
            {"owner": Owner("ReplicaSet", "web-7d4"), "labels": {"pod-template-hash": "7d4"}},
            (WorkloadRef("ReplicaSet", "default", "web-7d4"), WEB),
        ),
        (
            {"owner": Owner("ReplicaSet", "web-7d4"), "labels": {"pod-template-hash": "other"}},
            (WorkloadRef("ReplicaSet", "default", "web-7d4"),),
        ),
    ],
)
def test_a_pod_belongs_to_its_controller_and_to_the_deployment_above_it(
    changes: dict[str, Any], expected: tuple[WorkloadRef, ...]
) -> None:
    assert owners(make_pod(**changes)) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"owner": None}, "default/web-0"),
        ({"owner": Owner("StatefulSet", "db")}, "default/db"),
        ({"owner": Owner("ReplicaSet", "web-7d4"), "labels": {"pod-template-hash": "7d4"}}, "default/web"),
    ],
)
def test_use_is_measured_by_the_topmost_owner(changes: dict[str, Any], expected: str) -> None:
    assert workload_of(make_pod(**changes)) == expected
