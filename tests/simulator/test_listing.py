"""Lists in pages over one snapshot."""

import pytest

from simulator.api_server import ApiServer
from sources.kube.errors import Gone, StatusError
from tests.raw import raw_object, raw_pod

PODS = "/api/v1/pods"


def names(body: dict[str, list[dict[str, dict[str, str]]]]) -> list[str]:
    return [item["metadata"]["name"] for item in body["items"]]


def test_pages_together_are_one_moment(api: ApiServer) -> None:
    api.put(*(raw_pod(f"web-{at}") for at in range(5)))

    first = api.request("GET", PODS, query={"limit": "2"}).body
    api.put(raw_pod("web-9"))
    api.remove("pods", "web-4")
    rest = api.request("GET", PODS, query={"limit": "9", "continue": first["metadata"]["continue"]}).body

    assert names(first) == ["web-0", "web-1"]
    assert first["metadata"]["remainingItemCount"] == 3
    assert names(rest) == ["web-2", "web-3", "web-4"]
    assert rest["metadata"] == {"resourceVersion": first["metadata"]["resourceVersion"]}


def test_continue_after_compaction_is_gone(api: ApiServer) -> None:
    api.put(raw_pod("web-0"), raw_pod("web-1"))
    token = api.request("GET", PODS, query={"limit": "1"}).body["metadata"]["continue"]

    api.compact()

    with pytest.raises(Gone, match="continue parameter is too old"):
        api.request("GET", PODS, query={"continue": token})


def test_unknown_token_is_a_bad_request(api: ApiServer) -> None:
    with pytest.raises(StatusError, match="continue key is not valid: 'abc'") as error:
        api.request("GET", PODS, query={"continue": "abc"})

    assert error.value.status == 400


def test_namespace_labels_and_fields_narrow_a_list(api: ApiServer) -> None:
    api.put(raw_pod("a", node="n1"), raw_pod("b", node="n2"), raw_pod("c", node="n1", namespace="shop"))

    here = api.request("GET", "/api/v1/namespaces/shop/pods").body
    labelled = api.request("GET", PODS, query={"labelSelector": "app=web,app!=api"}).body
    on_node = api.request("GET", PODS, query={"fieldSelector": "spec.nodeName=n1"}).body

    assert (names(here), names(labelled), names(on_node)) == (["c"], ["a", "b", "c"], ["a", "c"])


def test_built_in_items_are_bare_and_custom_ones_are_not(api: ApiServer) -> None:
    api.put(raw_pod("a"), raw_object("bayplan.dev/v1alpha1", "EvictionRecord", "u1", spec={}))

    pods = api.request("GET", PODS).body
    records = api.request("GET", "/apis/bayplan.dev/v1alpha1/evictionrecords").body

    assert (pods["kind"], "kind" in pods["items"][0]) == ("PodList", False)
    assert records["items"][0]["kind"] == "EvictionRecord"
