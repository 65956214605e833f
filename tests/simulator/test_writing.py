"""Creates and bindings answer as kube-apiserver's do, and what it does not do is refused."""

import contextlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from simulator.api_server import ApiServer
from simulator.clock import START, ManualClock
from sources.kube.errors import AlreadyExists, Conflict, NotFound, StatusError
from tests.raw import raw_object, raw_pod
from tests.simulator.paths import LEASES, PODS, RECORDS, new


def test_create_gives_uid_version_time_and_the_servers_date(api: ApiServer, clock: ManualClock) -> None:
    clock.advance(90.7)

    answer = api.request("POST", LEASES, body=new("a", spec={"holderIdentity": "x"}))

    meta = answer.body["metadata"]
    assert answer.status == 201
    assert answer.date == START + 90
    assert (meta["name"], meta["namespace"], meta["creationTimestamp"]) == (
        "a",
        "bayplan-system",
        "2027-01-15T08:01:30Z",
    )
    assert meta["uid"]
    assert int(meta["resourceVersion"]) > 0


def test_server_clock_may_be_apart_from_ours(api: ApiServer) -> None:
    api.skew = 300.0

    answer = api.request("POST", LEASES, body=new("a"))

    assert answer.date == START + 300
    assert answer.body["metadata"]["creationTimestamp"] == "2027-01-15T08:05:00Z"


def test_a_second_create_of_one_name_is_refused(api: ApiServer) -> None:
    api.request("POST", LEASES, body=new("a"))

    with pytest.raises(AlreadyExists, match=r'leases\.coordination\.k8s\.io "a" already exists'):
        api.request("POST", LEASES, body=new("a"))


def test_create_in_a_missing_namespace_is_not_found(api: ApiServer) -> None:
    with pytest.raises(NotFound, match='namespaces "nowhere" not found'):
        api.request("POST", LEASES.replace("bayplan-system", "nowhere"), body=new("a"))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"metadata": {}}, "name or generateName is required"),
        ({"metadata": {"name": "a", "namespace": "shop"}}, r"namespace of the provided object \(shop\) does not match"),
        ({"metadata": {"name": "a", "resourceVersion": "3"}}, "resourceVersion should not be set"),
        ({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}}, "Pod in v1 was sent to the endpoint of Lease"),
        (["not", "an", "object"], "is not a JSON object"),
    ],
)
def test_create_that_makes_no_sense_is_refused(api: ApiServer, body: object, text: str) -> None:
    with pytest.raises(StatusError, match=text):
        api.request("POST", LEASES, body=body)

    assert api.all("leases") == []


def test_generated_names_differ(api: ApiServer) -> None:
    names = {
        api.request("POST", LEASES, body={"metadata": {"generateName": "a-"}}).body["metadata"]["name"] for _ in "abc"
    }

    assert len(names) == 3
    assert all(name.startswith("a-") for name in names)


def test_dry_run_writes_nothing(api: ApiServer) -> None:
    answer = api.request("POST", LEASES, query={"dryRun": "All"}, body=new("a"))

    assert answer.status == 201
    assert api.all("leases") == []


def test_status_of_a_new_pod_is_the_servers_while_a_record_keeps_its_own(api: ApiServer) -> None:
    api.request("POST", PODS, body=new("a", spec={}, status={"phase": "Running"}))
    api.request("POST", RECORDS, body=new("u1", spec={}, status={"state": "Intent"}))

    pod, record = api.find("pods", "a"), api.find("evictionrecords", "u1", "bayplan-system")
    assert pod is not None
    assert record is not None
    assert (pod["status"]["phase"], record["status"]) == ("Pending", {"state": "Intent"})


def test_new_pod_gets_scheduler_grace_and_the_priority_of_its_class(api: ApiServer) -> None:
    api.put(raw_object("scheduling.k8s.io/v1", "PriorityClass", "high", namespace=None, value=1000))
    api.put(raw_object("scheduling.k8s.io/v1", "PriorityClass", "usual", namespace=None, value=7, globalDefault=True))

    specs = [
        api.request("POST", PODS, body=new(name, spec=spec)).body["spec"]
        for name, spec in (
            ("a", {"priorityClassName": "high"}),
            ("b", {}),
            ("c", {"priorityClassName": "system-node-critical"}),
        )
    ]

    assert [spec["priority"] for spec in specs] == [1000, 7, 2_000_001_000]
    assert specs[0]["schedulerName"] == "default-scheduler"
    assert specs[0]["terminationGracePeriodSeconds"] == 30


def test_binding_gives_a_node_once(api: ApiServer) -> None:
    api.put(raw_pod("a", node=None))
    body = {"target": {"kind": "Node", "name": "n1"}}

    answer = api.request("POST", f"{PODS}/a/binding", body=body)
    with pytest.raises(Conflict, match="already assigned to node 'n1'"):
        api.request("POST", f"{PODS}/a/binding", body=body)

    pod = api.find("pods", "a")
    assert answer.status == 201
    assert pod is not None
    assert pod["spec"]["nodeName"] == "n1"


def test_gated_pod_is_not_bound(api: ApiServer) -> None:
    api.put(raw_pod("a", node=None, gated=True))

    with pytest.raises(Conflict, match="deleted or gated"):
        api.request("POST", f"{PODS}/a/binding", body={"target": {"name": "n1"}})


def test_put_over_an_object_keeps_its_uid_and_tells_watches(api: ApiServer) -> None:
    api.put(raw_pod("a"))
    api.put({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {}})

    pod = api.find("pods", "a")
    assert pod is not None
    assert pod["metadata"]["uid"] == "uid-a"
    assert pod["spec"] == {}


@pytest.mark.parametrize(
    ("method", "path"),
    [("DELETE", PODS), ("POST", f"{PODS}/a/exec"), ("GET", f"{PODS}/a/eviction"), ("DELETE", f"{PODS}/a/status"),
     ("POST", f"{PODS}/a")],
)  # fmt: skip
def test_what_the_server_does_not_do_is_not_allowed(api: ApiServer, method: str, path: str) -> None:
    with pytest.raises(StatusError, match="does not allow this method") as error:
        api.request(method, path, body={})

    assert error.value.status == 405


def test_answers_are_copies(api: ApiServer) -> None:
    api.put(raw_pod("a"))

    api.request("GET", f"{PODS}/a").body["spec"].clear()

    assert (api.find("pods", "a") or {})["spec"]["nodeName"] == "n1"


def test_of_many_writers_with_one_version_one_wins(api: ApiServer) -> None:
    lease = api.request("POST", LEASES, body=new("a")).body
    won: list[str] = []

    def renew(holder: str) -> None:
        with contextlib.suppress(Conflict):
            api.connect(holder).request("PUT", f"{LEASES}/a", body=lease | {"spec": {"holderIdentity": holder}})
            won.append(holder)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(renew, [f"replica-{at}" for at in range(40)]))

    assert len(won) == 1
    assert (api.find("leases", "a", "bayplan-system") or {})["spec"] == {"holderIdentity": won[0]}
