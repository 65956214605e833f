"""The eviction subresource as kube-apiserver 1.37.2 answered when it was asked each of these."""

import pytest

from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.jsons import Raw
from sources.kube.errors import Conflict, Forbidden, NotFound, ServerError, StatusError, TooManyRequests
from tests.raw import raw_pdb, raw_pod

PATH = "/api/v1/namespaces/default/pods/web-0/eviction"


def evict(api: ApiServer, *, uid: str | None = None, query: dict[str, str] | None = None, **options: object) -> Raw:
    wanted: Raw = dict(options) | ({} if uid is None else {"preconditions": {"uid": uid}})
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "web-0"}, "deleteOptions": wanted}
    return api.request("POST", PATH, query=query, body=body).body


def allowed(api: ApiServer, name: str = "web") -> int:
    pdb = api.find("poddisruptionbudgets", name)
    assert pdb is not None
    return int(pdb["status"]["disruptionsAllowed"])


def test_evicted_pod_terminates_and_says_why(api: ApiServer, clock: ManualClock) -> None:
    api.put(raw_pod())

    answer = evict(api, uid="uid-web-0")
    pod = api.find("pods", "web-0")
    clock.advance(30)

    assert (answer["status"], answer["code"]) == ("Success", 201)
    assert pod is not None
    assert "deletionTimestamp" in pod["metadata"]
    assert {"DisruptionTarget": "EvictionByEvictionAPI"}.items() <= {
        entry["type"]: entry.get("reason") for entry in pod["status"]["conditions"]
    }.items()
    assert api.find("pods", "web-0") is None


def test_grace_of_the_request_is_used(api: ApiServer, clock: ManualClock) -> None:
    api.put(raw_pod())

    evict(api, gracePeriodSeconds=3)
    clock.advance(3)

    assert api.find("pods", "web-0") is None


def test_eviction_takes_one_disruption(api: ApiServer) -> None:
    api.put(raw_pod(), raw_pdb(allowed=2))

    evict(api)

    assert allowed(api) == 1
    assert "web-0" in (api.find("poddisruptionbudgets", "web") or {})["status"]["disruptedPods"]


def test_pdb_at_zero_refuses_without_retry_after(api: ApiServer) -> None:
    api.put(raw_pod(), raw_pdb(allowed=0))

    with pytest.raises(TooManyRequests, match="would violate the pod's disruption budget") as error:
        evict(api)

    (cause,) = error.value.causes
    assert (cause.reason, cause.message) == (
        "DisruptionBudget",
        "The disruption budget web needs 1 healthy pods and has 1 currently",
    )
    assert error.value.retry_after is None


def test_pdb_that_is_not_processed_yet_asks_to_come_again(api: ApiServer) -> None:
    api.put(raw_pod(), raw_pdb(allowed=None))

    with pytest.raises(TooManyRequests) as error:
        evict(api)

    assert "still being processed" in error.value.causes[0].message
    assert error.value.retry_after == 10.0


def test_negative_budget_is_forbidden(api: ApiServer) -> None:
    api.put(raw_pod(), raw_pdb(allowed=-1))

    with pytest.raises(Forbidden) as error:
        evict(api)

    assert error.value.causes[0].reason == "DisruptionBudget"


def test_two_pdbs_are_an_error_of_the_server_without_a_reason(api: ApiServer) -> None:
    api.put(raw_pod(), raw_pdb("one"), raw_pdb("two"))

    with pytest.raises(ServerError, match="more than one PodDisruptionBudget") as error:
        evict(api)

    assert (error.value.status, error.value.reason) == (500, "")
    assert [allowed(api, name) for name in ("one", "two")] == [1, 1]


def test_pdb_of_another_app_namespace_or_without_a_selector_does_not_count(api: ApiServer) -> None:
    bare = raw_pdb("bare", allowed=0)
    del bare["spec"]["selector"]
    elsewhere = raw_pdb("elsewhere", allowed=0, metadata={"namespace": "shop"})
    api.put(raw_pod(), raw_pdb("other", app="api", allowed=0), bare, elsewhere)

    assert evict(api)["status"] == "Success"


def test_wrong_uid_is_a_conflict_that_has_cost_a_disruption(api: ApiServer) -> None:
    api.put(raw_pod(), raw_pdb(allowed=2))

    with pytest.raises(Conflict, match="UID in the precondition"):
        evict(api, uid="uid-of-its-predecessor")

    assert allowed(api) == 1
    assert "deletionTimestamp" not in (api.find("pods", "web-0") or {})["metadata"]


def test_missing_pod_is_not_found(api: ApiServer) -> None:
    with pytest.raises(NotFound, match='pods "web-0" not found'):
        evict(api)


def test_name_in_the_body_must_be_that_of_the_path(api: ApiServer) -> None:
    api.put(raw_pod())

    with pytest.raises(StatusError, match=r"name in URL \(web-0\) does not match name in Eviction object \(web-1\)"):
        api.request("POST", PATH, body={"metadata": {"name": "web-1"}})


@pytest.mark.parametrize("where", ["query", "options"])
def test_dry_run_asks_the_pdb_and_changes_nothing(api: ApiServer, where: str) -> None:
    api.put(raw_pod(), raw_pdb(allowed=1))

    answer = evict(api, query={"dryRun": "All"}) if where == "query" else evict(api, dryRun=["All"])

    assert answer["status"] == "Success"
    assert allowed(api) == 1
    assert "deletionTimestamp" not in (api.find("pods", "web-0") or {})["metadata"]


def test_dry_run_is_refused_where_the_eviction_would_be(api: ApiServer) -> None:
    api.put(raw_pod(), raw_pdb(allowed=0))

    with pytest.raises(TooManyRequests):
        evict(api, query={"dryRun": "All"})


def test_pods_that_serve_nobody_need_no_budget(api: ApiServer) -> None:
    api.put(raw_pdb(allowed=0))
    for patch in ({"status": {"phase": "Pending"}}, {"status": {"phase": "Failed"}}):
        api.put(raw_pod(patch=patch))

        assert evict(api, gracePeriodSeconds=0)["status"] == "Success"
        assert api.find("pods", "web-0") is None


def test_a_terminating_pod_is_evicted_once_more_without_a_second_disruption(api: ApiServer) -> None:
    api.put(raw_pod(), raw_pdb(allowed=2))

    answers = [evict(api), evict(api)]

    assert [answer["status"] for answer in answers] == ["Success", "Success"]
    assert allowed(api) == 1


@pytest.mark.parametrize(
    ("spec", "status", "passes"),
    [
        ({"unhealthyPodEvictionPolicy": "AlwaysAllow"}, {}, True),
        ({}, {"currentHealthy": 1, "desiredHealthy": 1}, True),
        ({}, {"currentHealthy": 0, "desiredHealthy": 1}, False),
        ({}, {"currentHealthy": 0, "desiredHealthy": 0}, False),
    ],
    ids=["always", "enough healthy", "too few healthy", "none wanted"],
)
def test_unready_pod(api: ApiServer, spec: Raw, status: Raw, *, passes: bool) -> None:
    api.put(raw_pod(ready=False), raw_pdb(allowed=0, spec=spec, status=status))

    if passes:
        assert evict(api)["status"] == "Success"
    else:
        with pytest.raises(TooManyRequests):
            evict(api)
