"""Updates and patches answer as kube-apiserver's do: versions, preconditions, generations."""

import pytest

from simulator.api_server import ApiServer
from sources.kube.errors import Conflict, NotFound, StatusError
from tests.raw import raw_lease, raw_object, raw_pod
from tests.simulator.paths import LEASES, MERGE, PODS, new


def test_update_with_an_old_version_loses(api: ApiServer) -> None:
    first = api.request("POST", LEASES, body=new("a", spec={"holderIdentity": "x"})).body
    api.request("PUT", f"{LEASES}/a", body=first | {"spec": {"holderIdentity": "y"}})

    with pytest.raises(Conflict, match="the object has been modified"):
        api.request("PUT", f"{LEASES}/a", body=first | {"spec": {"holderIdentity": "z"}})

    lease = api.find("leases", "a", "bayplan-system")
    assert lease is not None
    assert lease["spec"] == {"holderIdentity": "y"}


def test_lease_update_must_carry_a_version(api: ApiServer) -> None:
    api.request("POST", LEASES, body=new("a"))

    with pytest.raises(StatusError, match="resourceVersion: Invalid value: 0: must be specified") as error:
        api.request("PUT", f"{LEASES}/a", body=new("a"))

    assert error.value.status == 422


def test_update_for_another_uid_or_name_is_refused(api: ApiServer) -> None:
    lease = api.request("POST", LEASES, body=new("a")).body

    with pytest.raises(Conflict, match="UID in precondition: other"):
        api.request("PUT", f"{LEASES}/a", body=lease | {"metadata": lease["metadata"] | {"uid": "other"}})
    with pytest.raises(StatusError, match=r"name of the object \(b\) does not match the name on the URL \(a\)"):
        api.request("PUT", f"{LEASES}/a", body=lease | {"metadata": lease["metadata"] | {"name": "b"}})


def test_an_equal_update_keeps_the_version(api: ApiServer) -> None:
    lease = api.request("POST", LEASES, body=new("a")).body

    again = api.request("PUT", f"{LEASES}/a", body=lease).body

    assert again["metadata"]["resourceVersion"] == lease["metadata"]["resourceVersion"]


def test_generation_follows_the_spec_and_not_labels_or_status(api: ApiServer) -> None:
    api.put(raw_object("apps/v1", "Deployment", "web", spec={"replicas": 1}, status={}))
    path = "/apis/apps/v1/namespaces/default/deployments/web"

    for patch in ({"metadata": {"labels": {"a": "b"}}}, {"status": {"replicas": 1}}, {"spec": {"replicas": 2}}):
        api.request("PATCH", path, body=patch, content_type=MERGE)
    api.request("PATCH", f"{path}/status", body={"status": {"replicas": 3}}, content_type=MERGE)

    found = api.find("deployments", "web")
    assert found is not None
    assert found["metadata"]["generation"] == 2
    assert found["status"] == {"replicas": 3}
    assert found["metadata"]["labels"] == {"a": "b"}


def test_patch_takes_a_version_as_a_precondition(api: ApiServer) -> None:
    api.put(raw_lease("a"))

    with pytest.raises(Conflict, match="has been modified"):
        api.request("PATCH", f"{LEASES}/a", body={"metadata": {"resourceVersion": "1"}}, content_type=MERGE)


def test_only_merge_patches_are_understood(api: ApiServer) -> None:
    api.put(raw_lease("a"))

    with pytest.raises(StatusError, match="application/json-patch") as error:
        api.request("PATCH", f"{LEASES}/a", body={}, content_type="application/json-patch+json")

    assert error.value.status == 415


def test_patch_of_something_missing_is_not_found(api: ApiServer) -> None:
    with pytest.raises(NotFound, match=r'leases\.coordination\.k8s\.io "a" not found'):
        api.request("PATCH", f"{LEASES}/a", body={}, content_type=MERGE)


def test_pod_spec_cannot_be_changed(api: ApiServer) -> None:
    api.put(raw_pod("a"))

    with pytest.raises(StatusError, match="pod updates may not change fields of the spec"):
        api.request("PATCH", f"{PODS}/a", body={"spec": {"nodeName": "n2"}}, content_type=MERGE)


def test_dry_run_update_and_delete_write_nothing(api: ApiServer) -> None:
    api.put(raw_pod("a"))
    before = api.find("pods", "a")

    patch = {"metadata": {"labels": {"x": "y"}}}
    api.request("PATCH", f"{PODS}/a", query={"dryRun": "All"}, body=patch, content_type=MERGE)
    api.request("DELETE", f"{PODS}/a", body={"dryRun": ["All"]})

    assert api.find("pods", "a") == before
