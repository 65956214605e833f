"""What the ledger writes is what the next run reads."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.values.records import EvictionRecord, Landing, RecordState, Verification
from policies.values.workloads import WorkloadRef
from sources.kube.records import decode_record, encode_record, encode_status, records_path, reports_path
from tests.builders import NOW

CREATED = "2027-01-15T08:00:00Z"  # NOW

_words = st.text(min_size=1, max_size=12)
_figures = st.dictionaries(_words, st.floats(allow_nan=False, allow_infinity=False), max_size=3)
_refs = st.none() | st.builds(WorkloadRef, kind=_words, namespace=_words, name=_words)
_verifications = st.builds(
    Verification,
    landing=st.sampled_from(Landing),
    replacement=st.just("web-1"),
    replacement_uid=_words,
    node=st.none() | _words,
    ready_at=st.none() | st.floats(min_value=0, max_value=4e9),
    before=_figures,
    after=_figures,
)
records = st.builds(
    EvictionRecord,
    name=_words,
    pod_uid=_words,
    pod=_words,
    namespace=_words,
    node=_words,
    rule=_words,
    reason=_words,
    at=st.just(NOW),
    state=st.sampled_from(RecordState),
    workload=_refs,
    controller=_refs,
    destination=st.none() | _words,
    writer=_words,
    policy_hash=_words,
    answer=_words,
    evidence=_figures,
    verification=_verifications,
)


def stored(record: EvictionRecord, **status: Any) -> dict[str, Any]:
    raw = encode_record(record, "bayplan-system")
    raw["metadata"] |= {"creationTimestamp": CREATED, "resourceVersion": "7"}
    raw["status"] |= status
    return raw


@pytest.fixture
def record() -> EvictionRecord:
    return EvictionRecord(
        name="u1", pod_uid="u1", pod="web-0", namespace="shop", node="n1", rule="buoyancy", reason="hot", at=NOW
    )


@given(records)
def test_record_survives_the_way_through_the_cluster(record: EvictionRecord) -> None:
    assert decode_record(stored(record)) == replace(record, resource_version="7")


def test_record_of_a_newer_version_counts_in_full(record: EvictionRecord) -> None:
    raw = stored(record, state="Suspended", landing="Elsewhere")

    decoded = decode_record(raw)

    assert decoded.state is RecordState.UNKNOWN
    assert decoded.counts
    assert decoded.verification.landing is Landing.PENDING


def test_record_without_status_counts_in_full(record: EvictionRecord) -> None:
    raw = stored(record)
    del raw["status"]

    assert decode_record(raw).state is RecordState.UNKNOWN


def test_figures_that_json_cannot_say_are_left_out(record: EvictionRecord) -> None:
    odd = replace(record, evidence={"slack": float("nan"), "headroom": -0.2})

    assert encode_record(odd, "bayplan-system")["spec"]["evidence"] == {"headroom": -0.2}


def test_observed_record_says_that_it_was_observed(record: EvictionRecord) -> None:
    observed = encode_record(replace(record, state=RecordState.OBSERVED), "bayplan-system")

    assert observed["spec"]["mode"] == "observe"
    assert encode_record(record, "bayplan-system")["spec"]["mode"] == "enforce"


def test_status_clears_what_is_not_known_any_more(record: EvictionRecord) -> None:
    assert encode_status(record)["replacement"] is None


def test_paths_name_group_version_and_namespace() -> None:
    assert records_path("b") == "/apis/bayplan.dev/v1alpha1/namespaces/b/evictionrecords"
    assert records_path("b", "u1").endswith("/evictionrecords/u1")
    assert reports_path("b", "descheduler").endswith("/deschedulerreports/descheduler")
