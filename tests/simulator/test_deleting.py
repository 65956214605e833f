"""Deletions answer as kube-apiserver's do: grace periods, finalizers, preconditions."""

import pytest

from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.jsons import Raw
from sources.kube.errors import Conflict
from tests.raw import raw_object, raw_pod
from tests.simulator.paths import MERGE, PODS


def test_deleted_pod_terminates_for_its_grace_period(api: ApiServer, clock: ManualClock) -> None:
    api.put(raw_pod("a", grace_seconds=20.0))

    api.request("DELETE", f"{PODS}/a")
    clock.advance(19)
    meta = (api.find("pods", "a") or {})["metadata"]
    clock.advance(1)

    assert (meta["deletionTimestamp"], meta["deletionGracePeriodSeconds"]) == ("2027-01-15T08:00:20Z", 20)
    assert api.find("pods", "a") is None


def test_a_shorter_grace_period_overrules_a_longer_one_and_not_the_other_way(
    api: ApiServer, clock: ManualClock
) -> None:
    api.put(raw_pod("a"))

    for grace in (20, 5, 60):
        api.request("DELETE", f"{PODS}/a", body={"gracePeriodSeconds": grace})
    clock.advance(5)

    assert api.find("pods", "a") is None


@pytest.mark.parametrize(
    "patch", [{"spec": {"nodeName": None}}, {"status": {"phase": "Succeeded"}}], ids=["unbound", "ended"]
)
def test_pod_that_does_not_run_goes_at_once(api: ApiServer, patch: Raw) -> None:
    api.put(raw_pod("a", patch=patch))

    api.request("DELETE", f"{PODS}/a")

    assert api.find("pods", "a") is None


def test_finalizer_keeps_a_deleted_object_until_it_is_taken_off(api: ApiServer) -> None:
    api.put(raw_object("v1", "ConfigMap", "a", data={}))
    path = "/api/v1/namespaces/default/configmaps/a"
    api.request("PATCH", path, body={"metadata": {"finalizers": ["example.invalid/f"]}}, content_type=MERGE)

    api.request("DELETE", path)
    kept = api.find("configmaps", "a")
    api.request("PATCH", path, body={"metadata": {"finalizers": None}}, content_type=MERGE)

    assert kept is not None
    assert "deletionTimestamp" in kept["metadata"]
    assert api.find("configmaps", "a") is None


def test_delete_with_a_wrong_precondition_is_refused(api: ApiServer) -> None:
    api.put(raw_pod("a"))

    with pytest.raises(Conflict, match=r"UID in the precondition \(other\) does not match the UID in record \(uid-a\)"):
        api.request("DELETE", f"{PODS}/a", body={"preconditions": {"uid": "other"}})
    with pytest.raises(Conflict, match="ResourceVersion in the precondition"):
        api.request("DELETE", f"{PODS}/a", body={"preconditions": {"resourceVersion": "1"}})


def test_the_end_of_one_pod_does_not_take_its_namesake(api: ApiServer, clock: ManualClock) -> None:
    api.put(raw_pod("a"))
    api.request("DELETE", f"{PODS}/a")
    api.remove("pods", "a")
    api.put(raw_pod("a", uid="uid-later"))

    clock.advance(60)

    assert api.find("pods", "a") is not None
