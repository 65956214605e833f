"""The application: the right shape for whatever comes in, and scheduling goes on when something fails."""

import io
import json
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from extender.app import LARGEST_BODY, create_app
from extender.judging import Judge
from extender.metrics import Meters
from simulator.clock import ManualClock
from tests.extender.fakes import FakeNodes, make_judge, make_state
from tests.policies.placement.cases import make_standing
from tests.raw import raw_pod

VERBS = ("filter", "prioritize", "preempt")
POD = raw_pod("web-0", namespace="shop", node=None)
NAMES = {"Pod": POD, "Nodes": None, "NodeNames": ["n1", "n2"]}
VICTIMS = {"n1": {"Pods": [{"UID": "a"}], "NumPDBViolations": 0}}


def make_client(judge: Judge | None = None, meters: Meters | None = None) -> FlaskClient:
    return create_app(judge or make_judge(), meters or Meters()).test_client()


def count(meters: Meters, name: str, **labels: str) -> float:
    return meters.registry.get_sample_value(f"bayplan_extender_{name}_total", labels) or 0.0


def has_shape(verb: str, body: bytes) -> bool:
    """Tell whether kube-scheduler would decode a body as the verb's answer."""
    reply = json.loads(body)
    if verb == "filter":
        names, nodes = reply["NodeNames"], reply["Nodes"]
        listed = names if nodes is None else nodes["items"]
        texts = {**reply["FailedNodes"], **reply["FailedAndUnresolvableNodes"]}
        kinds = {type(value) for value in [*(names or ()), *texts, *texts.values(), reply["Error"]]}
        return isinstance(listed, list) and (names is None) != (nodes is None) and kinds <= {str}
    if verb == "prioritize":
        return isinstance(reply, list) and all(type(e["Host"]) is str and type(e["Score"]) is int for e in reply)
    victims = reply["NodeNameToMetaVictims"]
    return all(
        type(entry["NumPDBViolations"]) is int and all(type(pod["UID"]) is str for pod in entry["Pods"])
        for entry in victims.values()
    )


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"7", b"null", b"\xff", b'{"NodeNames": ', b"[" * 5000])
def test_a_body_that_is_no_request_is_answered_in_the_right_shape(verb: str, body: bytes) -> None:
    meters = Meters()

    response = make_client(meters=meters).post(f"/v1/{verb}", data=body)

    assert response.status_code == 200
    assert has_shape(verb, response.data)
    if verb != "preempt":
        assert count(meters, "failed_open", verb=verb) == 1
    assert count(meters, "faults", verb=verb, kind="malformed") == 1


def test_a_filter_request_without_readable_names_is_an_error_so_that_every_node_passes() -> None:
    response = make_client().post("/v1/filter", json={"Pod": POD, "NodeNames": "n1"})

    assert response.get_json()["Error"] == "NodeNames is a JSON str; allowed is a list of names or null"


def test_names_that_are_no_strings_are_left_out() -> None:
    response = make_client().post("/v1/filter", json=NAMES | {"NodeNames": ["n1", None, 7, "n2"]})

    assert response.get_json()["NodeNames"] == ["n1", "n2"]


@pytest.mark.parametrize("items", [None, [], [None, {}, {"metadata": {"name": 7}}, {"metadata": None}]])
def test_whole_nodes_without_names_give_an_explicit_list(items: object) -> None:
    response = make_client().post("/v1/filter", json={"Pod": POD, "Nodes": {"items": items}, "NodeNames": None})

    assert response.get_json()["Nodes"] == {"metadata": {}, "items": []}


def test_whole_nodes_that_are_no_list_are_an_error() -> None:
    response = make_client().post("/v1/filter", json={"Pod": POD, "Nodes": {"items": {}}, "NodeNames": None})

    assert response.get_json()["Error"] == "Nodes.items is a JSON dict; allowed is a list of nodes or null"


def test_fc_067_whole_nodes_are_reported_once_and_counted_each_time(caplog: pytest.LogCaptureFixture) -> None:
    meters = Meters()
    client = make_client(meters=meters)
    whole = {"Pod": POD, "Nodes": {"items": [{"metadata": {"name": "n1"}}]}, "NodeNames": None}

    client.post("/v1/filter", json=whole)
    client.post("/v1/prioritize", json=whole)
    client.post("/v1/preempt", json={"Pod": POD, "NodeNameToVictims": VICTIMS, "NodeNameToMetaVictims": None})

    assert [record.message for record in caplog.records] == [
        "kube-scheduler sends whole objects: set nodeCacheCapable: true for this extender"
    ]
    assert [count(meters, "whole_object_requests", verb=verb) for verb in VERBS] == [1, 1, 1]


@pytest.mark.parametrize("pod", [None, {}, 7, {"metadata": []}, {"metadata": {"name": "a"}}])
def test_a_pod_that_cannot_be_read_passes_and_preempts_nobody(pod: object) -> None:
    meters = Meters()
    client = make_client(make_judge(make_standing("n1", -1.0), max_refused_nodes=1.0), meters)

    filtered = client.post("/v1/filter", json=NAMES | {"Pod": pod})
    scored = client.post("/v1/prioritize", json=NAMES | {"Pod": pod})
    preempted = client.post("/v1/preempt", json={"Pod": pod, "NodeNameToMetaVictims": VICTIMS})

    assert filtered.get_json()["NodeNames"] == ["n1", "n2"]
    assert scored.get_json() == [{"Host": "n1", "Score": 0}, {"Host": "n2", "Score": 0}]
    assert preempted.get_json() == {"NodeNameToMetaVictims": {}}
    assert count(meters, "faults", verb="filter", kind="unreadable-pod") == 1


def test_an_internal_error_passes_every_node_scores_alike_and_vetoes_preemption() -> None:
    meters = Meters()
    judge = Judge(make_state(nodes=FakeNodes(failure=RuntimeError("lost"))))
    client = make_client(judge, meters)

    filtered = client.post("/v1/filter", json=NAMES)
    scored = client.post("/v1/prioritize", json=NAMES)
    preempted = client.post("/v1/preempt", json={"Pod": POD, "NodeNameToMetaVictims": VICTIMS})

    assert filtered.get_json()["NodeNames"] == ["n1", "n2"]
    assert scored.get_json() == [{"Host": "n1", "Score": 0}, {"Host": "n2", "Score": 0}]
    assert preempted.get_json() == {"NodeNameToMetaVictims": {}}
    assert [count(meters, "faults", verb=verb, kind="internal") for verb in VERBS] == [1, 1, 1]
    assert [count(meters, "failed_open", verb=verb) for verb in VERBS] == [1, 1, 0]


def test_a_storm_of_errors_is_logged_once_a_minute_and_counted_each_time(
    clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    meters = Meters()
    judge = Judge(make_state(nodes=FakeNodes(failure=RuntimeError("lost"))))
    client = create_app(judge, meters, clock=clock).test_client()

    for _ in range(5):
        client.post("/v1/filter", json=NAMES)
    client.post("/v1/prioritize", json=NAMES)
    clock.advance(60.0)
    client.post("/v1/filter", json=NAMES)

    assert [record.message.split()[1] for record in caplog.records] == ["filter", "prioritize", "filter"]
    assert count(meters, "faults", verb="filter", kind="internal") == 6


@pytest.mark.parametrize("more", [0, 1])
def test_a_body_in_chunks_may_be_as_large_as_any(more: int) -> None:
    body = b'{"NodeNames": []' + b" " * (LARGEST_BODY - 17 + more) + b"}"

    response = make_client().post(
        "/v1/filter", input_stream=io.BytesIO(body), environ_overrides={"wsgi.input_terminated": True}
    )

    assert response.status_code == (413 if more else 200)


def test_what_no_kube_scheduler_asks_for_gets_a_4xx_in_json() -> None:
    client = make_client()

    wrong_method, wrong_path = client.get("/v1/filter"), client.post("/v1/bind")

    assert wrong_method.status_code == 405
    assert has_shape("filter", wrong_method.data)
    assert wrong_method.get_json()["Error"] == "405 Method Not Allowed: GET /v1/filter"
    assert wrong_path.status_code == 404
    assert wrong_path.get_json() == {"Error": "404 Not Found: POST /v1/bind"}


@pytest.mark.parametrize("verb", VERBS)
def test_a_body_over_8_mib_is_refused(verb: str) -> None:
    meters = Meters()

    response = make_client(meters=meters).post(f"/v1/{verb}", data=b"x" * (LARGEST_BODY + 1))

    assert response.status_code == 413
    assert has_shape(verb, response.data)
    assert count(meters, "faults", verb=verb, kind="too-large") == 1


def test_refusals_and_preemptions_are_counted_by_reason() -> None:
    meters = Meters()
    client = make_client(make_judge(make_standing("n1", -1.0), max_refused_nodes=1.0), meters)

    client.post("/v1/filter", json=NAMES | {"NodeNames": ["n1"]})
    client.post("/v1/preempt", json={"Pod": POD, "NodeNameToMetaVictims": VICTIMS})

    assert count(meters, "refused_nodes", reason="buoyancy") == 1
    assert count(meters, "emptied_lists") == 1
    assert count(meters, "preemptions", outcome="vetoed") == 1
    assert meters.registry.get_sample_value("bayplan_extender_request_seconds_count", {"verb": "filter"}) == 1


@pytest.mark.parametrize(("pod", "outcome"), [(POD, "passed"), (raw_pod(scheduler_name="default-scheduler"), "exempt")])
def test_preemptions_that_go_on_are_counted(pod: dict[str, Any], outcome: str) -> None:
    meters = Meters()

    make_client(meters=meters).post("/v1/preempt", json={"Pod": pod, "NodeNameToMetaVictims": VICTIMS})

    assert count(meters, "preemptions", outcome=outcome) == 1


def test_fc_074_a_thousand_names_stay_in_tens_of_kilobytes() -> None:
    client = make_client()
    names = [f"node-{number:04}.example.internal" for number in range(1000)]

    filtered = client.post("/v1/filter", json=NAMES | {"NodeNames": names})
    scored = client.post("/v1/prioritize", json=NAMES | {"NodeNames": names})

    assert len(filtered.data) < 40_000
    assert len(scored.data) < 80_000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
POD_KEYS = (
    "metadata",
    "spec",
    "status",
    "name",
    "namespace",
    "uid",
    "labels",
    "ownerReferences",
    "conditions",
    "priority",
)
PODS = st.dictionaries(st.sampled_from(POD_KEYS), JSON | st.dictionaries(st.sampled_from(POD_KEYS), JSON), max_size=5)
ITEMS = st.lists(JSON | st.fixed_dictionaries({"metadata": st.fixed_dictionaries({"name": JSON})}), max_size=4)
PREY = st.lists(JSON | st.fixed_dictionaries({"UID": JSON}) | PODS, max_size=3)
PREYS = st.dictionaries(
    st.text(max_size=4), JSON | st.fixed_dictionaries({"Pods": PREY | JSON, "NumPDBViolations": JSON}), max_size=4
)
ARGS = st.fixed_dictionaries(
    {},
    optional={
        "Pod": JSON | PODS | st.just(POD),
        "NodeNames": JSON | st.lists(st.text(max_size=6) | JSON, max_size=6),
        "Nodes": JSON | st.fixed_dictionaries({"items": ITEMS | JSON}),
        "NodeNameToVictims": JSON | PREYS,
        "NodeNameToMetaVictims": JSON | PREYS,
    },
)


@given(verb=st.sampled_from(VERBS), body=st.binary(max_size=64) | ARGS.map(json.dumps).map(str.encode))
def test_no_bytes_get_anything_but_json_of_the_right_shape(verb: str, body: bytes) -> None:
    response = make_client().post(f"/v1/{verb}", data=body)

    assert response.status_code == 200
    assert has_shape(verb, response.data)


@given(args=ARGS)
def test_an_answer_holds_no_name_and_no_victim_that_was_not_asked_for(args: dict[str, Any]) -> None:
    client = make_client(make_judge(make_standing("n1", -1.0), make_standing("n2", 0.9)))

    filtered = client.post("/v1/filter", json=args).get_json()
    victims = client.post("/v1/preempt", json=args).get_json()["NodeNameToMetaVictims"]

    asked = args.get("NodeNames")
    names = filtered["NodeNames"] or []
    assert len(names) == len(set(names))
    assert not names or (isinstance(asked, list) and set(names) <= {name for name in asked if isinstance(name, str)})
    text = json.dumps(args)
    assert all(json.dumps(pod["UID"]) in text for entry in victims.values() for pod in entry["Pods"])
