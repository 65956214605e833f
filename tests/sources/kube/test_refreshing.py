"""What one eviction rests on is read anew, and nothing else is."""

from typing import Any

import pytest

from policies.values import kinds as names
from policies.values.workloads import WorkloadRef
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.failures import Failure
from simulator.faults import Fail
from sources.kube.errors import Forbidden
from sources.kube.kinds import EVERYTHING
from sources.kube.listing import list_kind
from sources.kube.refreshing import Focus, Refreshed, refresh
from tests.builders import make_pod
from tests.raw import (
    raw_attachment,
    raw_csi_driver,
    raw_csi_node,
    raw_node,
    raw_pdb,
    raw_pod,
    raw_replica_set,
    raw_stateful_set,
    raw_workload,
)

WEB = WorkloadRef("Deployment", "default", "web")


@pytest.fixture
def server() -> ApiServer:
    """A cluster with two workloads, of which the watches know everything."""
    server = ApiServer(ManualClock())
    server.put(*(raw_node(name) for name in ("n1", "n2", "n3")))
    server.put(*raw_workload("web", nodes=("n1", "n3")), *raw_workload("api", nodes=("n2", "n3")))
    server.put(raw_pdb("web", app="web"), raw_pdb("other", app="other", patch={}))
    return server


def stores_of(server: ApiServer) -> dict[str, dict[str, Any]]:
    """Return everything as a watch knows it."""
    return {kind.name: list_kind(server, kind).values for kind in EVERYTHING}


def refreshed(server: ApiServer, stores: dict[str, dict[str, Any]], **focus: Any) -> Refreshed:
    """Refresh around `web-0`, which is to go from n1 to n2."""
    given: dict[str, Any] = {"pod": make_pod(), "workload": WEB, "destination": "n2"} | focus
    return refresh(server, stores, Focus(**given))


def test_nothing_changed_means_nothing_changes(server: ApiServer) -> None:
    stores = stores_of(server)

    assert refreshed(server, stores).stores == stores


def test_what_is_asked_for_is_narrow(server: ApiServer) -> None:
    stores = stores_of(server)
    server.calls.clear()

    refreshed(server, stores)

    asked = [(call.path, call.query.get("fieldSelector") or call.query.get("labelSelector")) for call in server.calls]
    assert asked == [
        ("/api/v1/nodes", "metadata.name=n1"),
        ("/api/v1/nodes", "metadata.name=n2"),
        ("/apis/apps/v1/namespaces/default/replicasets", "metadata.name=web-rs"),
        ("/apis/apps/v1/namespaces/default/deployments", "metadata.name=web"),
        ("/apis/policy/v1/namespaces/default/poddisruptionbudgets", None),
        ("/api/v1/namespaces/default/pods", "app=web"),
        ("/api/v1/pods", "spec.nodeName=n2"),
    ]


def test_a_pod_with_volumes_rests_on_the_attach_limits_of_its_destination(server: ApiServer) -> None:
    server.put(*(raw_csi_node(name, attachable={"fast": 2}) for name in ("n2", "n3")))
    stores = stores_of(server)
    server.put(*(raw_csi_node(name, attachable={"fast": 1}) for name in ("n2", "n3")))

    seen = refreshed(server, stores, pod=make_pod(claims=("data",))).stores[names.CSI_NODES]
    without = refreshed(server, stores, pod=make_pod(claims=("data",)), destination=None).stores[names.CSI_NODES]

    assert {name: node.attachable["fast"] for name, node in seen.items()} == {"n2": 1, "n3": 2}
    assert without == stores[names.CSI_NODES]


@pytest.mark.parametrize(
    ("named", "declared", "asked"),
    [({"fast": 2}, {}, 1), ({}, {"attachable-volumes-csi-fast": 2}, 1), ({}, {}, 0)],
    ids=["by the CSINode", "by the node", "by nobody"],
)
def test_what_is_attached_is_listed_anew_where_a_limit_is_named(
    server: ApiServer, named: dict[str, int], declared: dict[str, int], asked: int
) -> None:
    server.put(raw_attachment("gone", node="n2"))
    stores = stores_of(server)
    allocatable = {name: str(most) for name, most in declared.items()}
    server.put(raw_csi_node("n2", attachable=named), raw_node("n2", patch={"status": {"allocatable": allocatable}}))
    server.remove("volumeattachments", "gone")
    server.put(raw_attachment("new", node="n2"))
    server.calls.clear()

    seen = refreshed(server, stores, pod=make_pod(claims=("data",))).stores[names.VOLUME_ATTACHMENTS]

    assert len(server.calls.of("list", "volumeattachments")) == asked
    assert set(seen) == ({"new"} if asked else {"gone"})


def test_a_pod_with_volumes_rests_on_what_their_drivers_ask_for(server: ApiServer) -> None:
    server.put(raw_csi_driver("fast", needed=False), raw_csi_driver("gone", needed=True))
    stores = stores_of(server)
    server.put(raw_csi_driver("fast", needed=True))
    server.remove("csidrivers", "gone")

    seen = refreshed(server, stores, pod=make_pod(claims=("data",))).stores[names.CSI_DRIVERS]

    assert {name: driver.needed for name, driver in seen.items()} == {"fast": True}
    assert refreshed(server, stores).stores[names.CSI_DRIVERS] == stores[names.CSI_DRIVERS]


@pytest.mark.parametrize("focus", [{}, {"pod": make_pod(claims=("data",)), "destination": None}])
def test_what_is_attached_concerns_pods_with_volumes_that_go_somewhere(
    server: ApiServer, focus: dict[str, Any]
) -> None:
    server.put(raw_csi_node("n2", attachable={"fast": 1}))

    refreshed(server, stores_of(server), **focus)

    assert len(server.calls.of("list", "volumeattachments")) == 1  # the watches' own


def test_what_came_is_there_and_what_went_is_not(server: ApiServer) -> None:
    stores = stores_of(server)
    server.remove("pods", "web-1")
    server.remove("nodes", "n1")
    server.remove("deployments", "web")
    server.remove("poddisruptionbudgets", "web")
    server.put(raw_pdb("all", app="web"), raw_pod("web-9", node="n1"), raw_pod("new", node="n2", workload="new"))
    server.remove("pods", "api-0")
    server.remove("pods", "api-1")

    seen = refreshed(server, stores).stores

    assert {pod.name for pod in seen[names.PODS].values()} == {"web-0", "web-9", "new", "api-1"}
    assert set(seen[names.NODES]) == {"n2", "n3"}
    assert set(seen[names.PDBS]) == {"default/all", "default/other"}
    assert set(seen[names.DEPLOYMENTS]) == {"default/api"}


def test_pods_of_a_controller_are_found_by_the_labels_that_they_share(server: ApiServer) -> None:
    server.put(raw_stateful_set("db"))
    for at in (0, 1):
        labels = {"statefulset.kubernetes.io/pod-name": f"db-{at}", "set": "a"}
        owner = [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "uid-db", "controller": True}]
        patch = {"metadata": {"labels": labels, "ownerReferences": owner}}
        server.put(raw_pod(f"db-{at}", node="n1", workload="db", patch=patch))
    stores = stores_of(server)
    pod = next(one for one in stores[names.PODS].values() if one.name == "db-0")
    server.calls.clear()

    refreshed(server, stores, pod=pod, workload=WorkloadRef("StatefulSet", "default", "db"), destination=None)

    queries = [(call.resource, call.query.get("labelSelector")) for call in server.calls if call.resource == "pods"]
    assert queries == [("pods", "app=db,set=a")]
    assert [call.query["fieldSelector"] for call in server.calls if call.resource == "statefulsets"] == [
        "metadata.name=db"
    ]


def test_pods_without_a_shared_label_are_listed_by_namespace(server: ApiServer) -> None:
    stores = stores_of(server)
    server.calls.clear()

    refreshed(server, stores, pod=make_pod("bare", labels={}, owner=None), workload=None, destination=None)

    (pods,) = server.calls.of("list", "pods")
    assert (pods.path, "labelSelector" in pods.query) == ("/api/v1/namespaces/default/pods", False)
    assert not server.calls.of("list", "deployments")


def test_a_workload_of_a_kind_that_is_not_read_is_made_of_its_replica_sets(server: ApiServer) -> None:
    stores = stores_of(server)
    server.put(raw_replica_set("web-canary", app="web"))

    seen = refreshed(server, stores, workload=WorkloadRef("Rollout", "default", "web"))

    assert set(seen.stores[names.REPLICA_SETS]) == {"default/web-rs", "default/api-rs", "default/web-canary"}


def test_a_malformed_object_is_told(server: ApiServer) -> None:
    stores = stores_of(server)
    server.put(raw_pdb("web", app="web", spec={"selector": {"matchExpressions": [{"key": "a", "operator": "Odd"}]}}))

    seen = refreshed(server, stores)

    assert "default/web" in seen.skipped[names.PDBS]
    assert "default/web" not in seen.stores[names.PDBS]


def test_what_cannot_be_read_is_not_taken_from_the_watch(server: ApiServer) -> None:
    stores = stores_of(server)
    server.faults.add(Fail(Failure(403, "Forbidden", "may not list")), path="*/poddisruptionbudgets")

    with pytest.raises(Forbidden, match="may not list"):
        refreshed(server, stores)
