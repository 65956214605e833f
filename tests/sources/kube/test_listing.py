"""Lists in pages on the in-memory API server."""

from dataclasses import replace
from typing import Any

import pytest

from policies.values import kinds as names
from policies.values.workloads import WorkloadRef
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.failures import Failure, expired
from simulator.faults import After, Fail, Unconnected
from sources.kube import kinds
from sources.kube.errors import Forbidden, Gone, Undecodable, Unreachable
from sources.kube.listing import list_cluster, list_kind, list_raw
from sources.kube.server_time import ServerTime
from tests.sources.kube.api_fake import ScriptedApi
from tests.sources.kube.raw import raw_node, raw_owned, raw_pod

FORBIDDEN = Failure(403, "Forbidden", "may not list")


def node(name: str, **changes: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Node"} | raw_node(name, **changes)


def pod(name: str, **changes: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod"} | raw_pod(name, **changes)


@pytest.fixture
def api() -> ApiServer:
    server = ApiServer(ManualClock())
    server.put(*(node(f"n{number}") for number in range(5)))
    return server


def test_list_comes_in_pages_of_one_version(api: ApiServer) -> None:
    small = replace(kinds.NODES, page=2)

    listed = list_kind(api, small)

    assert list(listed.values) == ["n0", "n1", "n2", "n3", "n4"]
    assert [call.query["limit"] for call in api.calls.of("list", "nodes")] == ["2", "2", "2"]
    assert "resourceVersion" not in api.calls.of("list", "nodes")[0].query
    assert listed.resource_version


def test_change_between_two_pages_does_not_tear_the_list(api: ApiServer) -> None:
    api.faults.add(After(lambda: api.remove("nodes", "n4")), path="/api/v1/nodes")

    assert "n4" in list_kind(api, replace(kinds.NODES, page=2)).values


def test_list_that_expires_on_the_way_is_begun_again(api: ApiServer) -> None:
    api.faults.add(After(api.compact), path="/api/v1/nodes")

    assert len(list_kind(api, replace(kinds.NODES, page=2)).values) == 5
    assert len(api.calls.of("list", "nodes")) == 1 + 1 + 3


def test_list_that_always_expires_is_given_up(api: ApiServer) -> None:
    api.faults.add(Fail(expired("too old")), path="/api/v1/nodes", times=3)

    with pytest.raises(Gone):
        list_kind(api, kinds.NODES)
    assert len(api.calls.of("list", "nodes")) == 3


def test_raw_list_is_begun_again_and_given_up_alike(api: ApiServer) -> None:
    api.faults.add(After(api.compact), path="/api/v1/nodes")
    items, date, version = list_raw(api, "/api/v1/nodes", limit=2)

    assert len(items) == 5
    assert date == int(api.now())
    assert version
    api.faults.add(Fail(expired("too old")), path="/api/v1/nodes", times=3)
    with pytest.raises(Gone):
        list_raw(api, "/api/v1/nodes")


def test_malformed_object_is_skipped_and_named(api: ApiServer, caplog: pytest.LogCaptureFixture) -> None:
    api.put(node("odd", status={"allocatable": {"cpu": "lots"}}))

    listed = list_kind(api, kinds.NODES)

    assert "odd" not in listed.values
    assert "QuantityError: 'lots'" in listed.skipped["odd"]
    assert "1 malformed nodes skipped: odd: QuantityError" in caplog.text


def test_empty_list_may_be_null() -> None:
    assert list_kind(ScriptedApi(body={"metadata": {"resourceVersion": "1"}, "items": None}), kinds.NODES).values == {}


@pytest.mark.parametrize("body", [{}, {"kind": "Table", "rows": []}, {"metadata": {}, "items": "x"}], ids=repr)
def test_answer_that_is_no_list_is_told(body: dict[str, Any]) -> None:
    with pytest.raises(Undecodable, match="GET /api/v1/nodes: the answer is no list"):
        list_kind(ScriptedApi(body=body), kinds.NODES)


def test_cluster_is_put_together(api: ApiServer) -> None:
    owned = raw_owned("ReplicaSet", "web-rs", owner=("Deployment", "web"))
    api.put(
        pod("web-0"),
        {"apiVersion": "apps/v1"} | owned,
        {"apiVersion": "apps/v1"} | raw_owned("Deployment", "web"),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}},
    )
    server_time = ServerTime(api.clock)

    cluster = list_cluster(api, server_time=server_time)

    web = WorkloadRef("Deployment", "shop", "web")
    assert len(cluster.nodes) == 5
    assert cluster.workload_of == {"uid-web-0": web}
    assert cluster.workloads[web].wanted == 3
    assert cluster.namespace_labels["shop"]["team"] == "a"
    assert cluster.unreadable == {}
    assert cluster.now == server_time.now() == api.now()


def test_fc_037_list_that_fails_is_unknown_and_not_empty(api: ApiServer) -> None:
    api.faults.add(Fail(FORBIDDEN), path="*/poddisruptionbudgets")

    cluster = list_cluster(api)

    assert "403 Forbidden: may not list" in cluster.unreadable[names.PDBS]
    assert len(cluster.nodes) == 5
    assert list_cluster(api).unreadable == {}


def test_unreachable_api_is_told_at_once(api: ApiServer) -> None:
    api.faults.add(Unconnected(), times=float("inf"))

    with pytest.raises(Unreachable):
        list_cluster(api)
    assert len(api.calls) == 1


def test_malformed_pdb_makes_all_of_them_unreadable(api: ApiServer) -> None:
    odd = {"metadata": {"namespace": "default", "name": "odd"}, "spec": {"selector": {"matchLabels": ["x"]}}}
    api.put({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"} | odd)

    assert "malformed: default/odd: " in list_cluster(api).unreadable[names.PDBS]


def test_malformed_csi_node_driver_or_attachment_makes_all_of_its_kind_unreadable(api: ApiServer) -> None:
    odd = {"metadata": {"name": "n1"}, "spec": {"drivers": [{"name": "fast", "allocatable": {"count": "many"}}]}}
    api.put({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode"} | odd)

    api.put({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "va"}, "spec": {}})

    api.put({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "fast"}, "spec": ["x"]})

    unreadable = list_cluster(api).unreadable

    assert "malformed: fast: " in unreadable[names.CSI_DRIVERS]
    assert "malformed: n1: " in unreadable[names.CSI_NODES]
    assert "malformed: va: " in unreadable[names.VOLUME_ATTACHMENTS]


def test_forbidden_list_raises_its_own_error(api: ApiServer) -> None:
    api.faults.add(Fail(FORBIDDEN), path="/api/v1/nodes")

    with pytest.raises(Forbidden):
        list_kind(api, kinds.NODES)
