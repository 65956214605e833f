"""What the descheduler writes of plans is what both services read."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.values.plans import (
    Headcount,
    Plan,
    PlanAction,
    PlanCondition,
    PlanEntry,
    PlanPhase,
    PlanProgress,
    PlanSlot,
    Quota,
)
from policies.values.pods import HostPort
from policies.values.resources import Resources
from policies.values.workloads import WorkloadRef
from sources.kube.decoding.tolerant import MalformedObject, tolerant
from sources.kube.plans import (
    MOST_ENTRIES,
    decode_plan,
    decode_slot,
    encode_plan,
    encode_plan_status,
    encode_slot,
    oversize,
    plans_path,
    slots_path,
)
from tests.builders import NOW

CREATED = "2027-01-15T08:00:00Z"  # NOW

words = st.text(min_size=1, max_size=12)
refs = st.builds(WorkloadRef, kind=words, namespace=words, name=words)
amounts = st.dictionaries(
    st.sampled_from(("cpu", "memory", "pods", "example.com/gpu")), st.integers(1, 2**62), max_size=3
).map(Resources)
ports = st.lists(
    st.builds(HostPort, st.integers(1, 65535), st.sampled_from(("TCP", "UDP")), st.just("10.0.0.1")), max_size=2
).map(tuple)
seconds = st.integers(0, 4_000_000_000).map(float)
entries = st.builds(
    PlanEntry,
    action=st.sampled_from(PlanAction),
    namespace=words,
    pod=words,
    uid=words,
    source=st.none() | words,
    target=st.none() | words,
    workload=st.none() | refs,
    controller=st.none() | refs,
    requests=amounts,
    host_ports=ports,
    priority=st.integers(-(2**31), 2**31 - 1),
    grace_seconds=st.integers(0, 600).map(float),
    reason=words,
)
quotas = st.builds(
    Quota,
    controller=refs,
    node=words,
    wanted=st.integers(0, 500),
    requests=amounts,
    host_ports=ports,
    priority=st.integers(-(2**31), 2**31 - 1),
)
headcounts = st.builds(
    Headcount,
    controller=refs,
    requests=amounts,
    unplaced=st.integers(0, 500),
    replicas=st.none() | st.integers(0, 500),
)
plans = st.builds(
    Plan,
    name=words,
    revision=st.integers(0, 1),
    phase=st.sampled_from(PlanPhase),
    reason=words,
    trigger=words,
    hold=st.sampled_from(("reservations", "all")),
    blocking=st.booleans(),
    observing=st.booleans(),
    entries=st.lists(entries, max_size=4).map(tuple),
    quotas=st.lists(quotas, max_size=3).map(tuple),
    headcounts=st.lists(headcounts, max_size=3).map(tuple),
    abort=st.none() | words,
    writer=words,
    policy_hash=words,
    started_at=st.just(NOW),
    finished_at=st.none() | seconds,
    vector=st.dictionaries(words, st.integers(-1000, 1000), max_size=3),
    progress=st.builds(PlanProgress, placed=st.integers(0, 9), moved=st.integers(0, 9), evicted=st.integers(0, 9)),
    conditions=st.lists(
        st.builds(PlanCondition, kind=words, met=st.booleans(), reason=words, message=words, at=seconds), max_size=2
    ).map(tuple),
)
slots = st.builds(
    PlanSlot,
    plan=st.none() | words,
    plan_uid=words,
    revision=st.integers(0, 1),
    holder=words,
    renewal=st.integers(0, 2**40),
)


def stored(plan: Plan) -> dict[str, Any]:
    raw = encode_plan(plan, "bayplan-system")
    raw["metadata"] |= {"creationTimestamp": CREATED, "resourceVersion": "7", "uid": "p1"}
    return raw


@given(plans)
def test_plan_survives_the_way_through_the_cluster(plan: Plan) -> None:
    assert decode_plan(stored(plan)) == replace(plan, uid="p1", resource_version="7")


@given(slots)
def test_slot_survives_the_way_through_the_cluster(slot: PlanSlot) -> None:
    raw = encode_slot(slot, "bayplan-system")
    raw["metadata"] |= {"resourceVersion": "8"}

    assert decode_slot(raw) == replace(slot, resource_version="8")


def test_what_is_replaced_names_the_version_that_was_read() -> None:
    assert encode_plan(Plan(name="p", resource_version="5"), "b")["metadata"]["resourceVersion"] == "5"
    assert encode_slot(PlanSlot(resource_version="6"), "b")["metadata"]["resourceVersion"] == "6"
    assert "resourceVersion" not in encode_slot(PlanSlot(), "b")["metadata"]


def test_plan_of_a_newer_version_is_obeyed_by_nobody() -> None:
    raw = stored(Plan(name="p"))
    raw["status"]["phase"] = "Pondering"

    assert decode_plan(raw).phase.ended


def test_plan_without_status_is_obeyed_by_nobody() -> None:
    raw = stored(Plan(name="p"))
    del raw["status"]

    assert decode_plan(raw).phase.ended
    assert decode_plan(raw).progress == PlanProgress()


def test_status_says_how_many_of_how_many() -> None:
    places = [PlanEntry(action=PlanAction.PLACE, namespace="shop", pod=f"web-{n}", uid=f"u{n}") for n in range(3)]
    plan = Plan(name="p", entries=tuple(places), progress=PlanProgress(placed=2))

    status = encode_plan_status(plan)

    assert (status["placed"], status["moved"], status["evicted"]) == ("2/3", "0/0", "0/0")


@pytest.mark.parametrize("kind", ["quotas", "headcounts"])
def test_number_of_pods_of_nobody_is_malformed(kind: str) -> None:
    raw = stored(Plan(name="p"))
    raw["spec"][kind] = [{"controller": None, "node": "n1", "wanted": 1, "unplaced": 1}]

    with pytest.raises(MalformedObject, match="without its controller"):
        tolerant(decode_plan, raw)


def test_plan_with_too_many_entries_is_too_large() -> None:
    entry = PlanEntry(action=PlanAction.PLACE, namespace="shop", pod="web-0", uid="u1", target="n1")

    assert oversize(Plan(name="p", entries=(entry,) * MOST_ENTRIES), "b") is None
    assert oversize(Plan(name="p", entries=(entry,) * 501), "b") == "501 entries; allowed are 500"


def test_plan_with_too_many_bytes_is_too_large() -> None:
    entry = PlanEntry(action=PlanAction.PLACE, namespace="shop", pod="web-0", uid="u1", reason="x" * 1000)

    assert "bytes; allowed are 262144" in str(oversize(Plan(name="p", entries=(entry,) * 300), "b"))


def test_paths_name_group_version_and_namespace() -> None:
    assert plans_path("b") == "/apis/bayplan.dev/v1alpha1/namespaces/b/placementplans"
    assert plans_path("b", "p").endswith("/placementplans/p")
    assert slots_path("b", "active").endswith("/planslots/active")
