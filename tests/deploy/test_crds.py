"""What the codec and the report write is what the schemas of the CRDs allow: nothing would be pruned or refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.values.plans import Plan, PlanSlot
from policies.values.records import EvictionRecord, Landing, RecordState, Verification
from policies.values.workloads import WorkloadRef
from simulator.jsons import Raw, copied
from simulator.kinds import KINDS
from sources.kube.plans import encode_plan, encode_slot
from sources.kube.records import decode_record, encode_record
from tests.builders import NOW
from tests.manifests import DEPLOY, documents
from tests.sources.kube.test_plans import plans, slots

CUSTOM = ("evictionrecords", "deschedulerreports", "placementplans", "planslots")

_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "object": dict,
    "array": list,
}
FIGURES = st.dictionaries(st.sampled_from(("headroom", "node.cpu")), st.floats(-3, 3), max_size=2)
REFS = st.none() | st.builds(WorkloadRef, st.just("Deployment"), st.just("shop"), st.sampled_from(("web", "api")))


def crd(plural: str) -> Raw:
    (raw,) = documents(DEPLOY / "common" / "crds" / f"{plural}.yaml")
    return raw


def schema(plural: str) -> Raw:
    (version,) = crd(plural)["spec"]["versions"]
    found: Raw = version["schema"]["openAPIV3Schema"]
    return found


def complaints(value: Any, rules: Raw, at: str = "") -> list[str]:
    """Return what the API server would refuse or drop silently. It drops null where null is not allowed."""
    if value is None:
        return []
    if not isinstance(value, _TYPES[rules["type"]]) or isinstance(value, bool) is not (rules["type"] == "boolean"):
        return [f"{at}: {value!r} is no {rules['type']}"]
    if "enum" in rules and value not in rules["enum"]:
        return [f"{at}: {value!r} is none of {rules['enum']}"]
    if isinstance(value, list):
        if len(value) > rules.get("maxItems", len(value)):
            return [f"{at}: {len(value)} entries"]
        return [text for entry in value for text in complaints(entry, rules["items"], f"{at}[]")]
    found: list[str] = []
    if isinstance(value, dict) and at != ".metadata":
        found = [f"{at}.{name}: missing" for name in rules.get("required", ()) if name not in value]
        for name, entry in value.items():
            below = rules.get("properties", {}).get(name) or rules.get("additionalProperties")
            found += [f"{at}.{name}: unknown"] if below is None else complaints(entry, below, f"{at}.{name}")
    return found


records = st.builds(
    EvictionRecord,
    name=st.just("u1"),
    pod_uid=st.just("u1"),
    pod=st.just("web-0"),
    namespace=st.just("shop"),
    node=st.just("n1"),
    rule=st.sampled_from(("soft-slo", "buoyancy")),
    reason=st.text(max_size=20),
    at=st.just(NOW),
    state=st.sampled_from(RecordState),
    workload=REFS,
    controller=REFS,
    destination=st.none() | st.just("n2"),
    answer=st.text(max_size=20),
    evidence=FIGURES,
    verification=st.builds(
        Verification,
        landing=st.sampled_from(Landing),
        replacement=st.none() | st.just("web-1"),
        replacement_uid=st.none() | st.just("u2"),
        node=st.none() | st.just("n2"),
        ready_at=st.none() | st.just(NOW),
        before=FIGURES,
        after=FIGURES,
    ),
)


@given(records)
def test_every_record_fits_its_schema(record: EvictionRecord) -> None:
    raw = copied(encode_record(record, "bayplan-system"))

    assert complaints(raw, schema("evictionrecords")) == []


@given(plans)
def test_every_plan_fits_its_schema(plan: Plan) -> None:
    raw = copied(encode_plan(plan, "bayplan-system"))

    assert complaints(raw, schema("placementplans")) == []


@given(slots)
def test_every_slot_fits_its_schema(slot: PlanSlot) -> None:
    raw = copied(encode_slot(slot, "bayplan-system"))

    assert complaints(raw, schema("planslots")) == []


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"spec": {"extra": 1}}, ".spec.extra: unknown"),
        ({"status": {"readyAt": "noon"}}, ".status.readyAt: 'noon' is no number"),
        ({"spec": {"pod": {"name": "a"}}}, ".spec.pod.namespace: missing"),
        ({"spec": {"mode": "dream"}}, ".spec.mode: 'dream' is none of ['observe', 'enforce']"),
    ],
)
def test_what_does_not_fit_is_found(change: Raw, text: str) -> None:
    assert text in complaints(change, schema("evictionrecords"))


@pytest.mark.parametrize("plural", CUSTOM)
def test_crd_is_what_the_simulator_and_the_decision_say(plural: str) -> None:
    spec = crd(plural)["spec"]
    (version,) = spec["versions"]
    (kind,) = [kind for kind in KINDS if kind.plural == plural]

    assert (spec["group"], spec["names"]["kind"], version["name"]) == (kind.group, kind.name, kind.version)
    assert (spec["scope"], "subresources" in version, kind.status) == ("Namespaced", False, False)
    assert crd(plural)["metadata"]["name"] == f"{plural}.{kind.group}"


def _described(rules: Raw, at: str) -> list[str]:
    missing = [] if rules.get("description") or at.count(".") == 1 else [at]
    for name, below in rules.get("properties", {}).items():
        missing += _described(below, f"{at}.{name}")
    return missing


@pytest.mark.parametrize("plural", CUSTOM)
def test_every_field_is_described(plural: str) -> None:
    assert _described(schema(plural), "") == []


@pytest.mark.parametrize("plural", CUSTOM)
def test_printer_columns_point_at_fields(plural: str) -> None:
    (version,) = crd(plural)["spec"]["versions"]
    for column in version["additionalPrinterColumns"]:
        rules = schema(plural)
        # a comma in a description without quotes makes a key, which only a second `kubectl apply` refuses
        assert column.keys() <= {"name", "type", "format", "priority", "jsonPath", "description"}
        way = column["jsonPath"].strip(".").split(".")
        for part in way if way[0] != "metadata" else ():
            rules = rules["properties"][part]


def test_record_read_back_is_the_record() -> None:
    record = EvictionRecord(
        name="u1", pod_uid="u1", pod="web-0", namespace="shop", node="n1", rule="buoyancy", reason="hot", at=NOW
    )
    raw = encode_record(record, "bayplan-system")

    read = decode_record(raw | {"metadata": raw["metadata"] | {"creationTimestamp": "2027-01-15T08:00:00Z"}})

    assert read == record
