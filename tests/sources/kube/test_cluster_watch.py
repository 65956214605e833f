"""Both services' view of the cluster, on the in-memory API server."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from policies.values import kinds as names
from policies.values.records import EvictionRecord
from policies.values.workloads import WorkloadRef
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.failures import Failure
from simulator.faults import Fail
from sources.kube.cluster_watch import Change, ClusterWatch, WatchSettings
from sources.kube.kinds import EVERYTHING, LEADER, extender_kinds
from sources.kube.records import encode_record
from sources.supervising import Health, TaskState
from tests.builders import NOW
from tests.raw import raw_lease
from tests.sources.kube.raw import raw_node, raw_owned, raw_pod
from tests.sources.waiting import eventually

Watching = Callable[..., ClusterWatch]
FORBIDDEN = Failure(403, "Forbidden", "may not list")


@pytest.fixture
def api() -> ApiServer:
    server = ApiServer(ManualClock())
    owned = raw_owned("ReplicaSet", "web-rs", owner=("Deployment", "web"))
    server.put(
        {"apiVersion": "v1", "kind": "Node"} | raw_node("n1"),
        {"apiVersion": "v1", "kind": "Pod"} | raw_pod("web-0", metadata__annotations={"a": "b"}),
        {"apiVersion": "apps/v1"} | owned,
        {"apiVersion": "apps/v1"} | raw_owned("Deployment", "web"),
    )
    return server


@pytest.fixture
def watching(api: ApiServer) -> Iterator[Watching]:
    stop = threading.Event()
    begun: list[ClusterWatch] = []

    def start(listener: Callable[[Change], None] | None = None, **settings: Any) -> ClusterWatch:
        watch = ClusterWatch(api, settings=WatchSettings(clock=api.clock, seed=1, **settings), on_change=listener)
        watch.start(stop)
        begun.append(watch)
        return watch

    yield start
    stop.set()
    while not all(watch.join(0.05) for watch in begun):
        api.end_watches()


def test_snapshot_is_the_cluster(api: ApiServer, watching: Watching) -> None:
    watch = watching()
    eventually(lambda: watch.synced)

    cluster = watch.snapshot()

    assert set(cluster.nodes) == {"n1"}
    assert cluster.workload_of == {"uid-web-0": WorkloadRef("Deployment", "shop", "web")}
    assert cluster.unreadable == {}
    assert cluster.now == api.now()
    assert watch.stale_for() == 0


def test_snapshot_does_not_change_afterwards(api: ApiServer, watching: Watching) -> None:
    watch = watching()
    eventually(lambda: watch.synced)
    before = watch.snapshot()

    api.remove("nodes", "n1")
    eventually(lambda: not watch.values(names.NODES))

    assert set(before.nodes) == {"n1"}
    assert watch.snapshot().nodes == {}


def test_fc_076_refused_optional_kind_degrades_one_thing_only(api: ApiServer, watching: Watching) -> None:
    api.faults.add(Fail(FORBIDDEN), path="*/poddisruptionbudgets", times=float("inf"))
    watch = watching()
    eventually(lambda: watch.synced)

    assert watch.snapshot().unreadable == {names.PDBS: "403 Forbidden: may not list"}
    api.faults.clear()
    eventually(lambda: watch.snapshot().unreadable == {})


def test_without_pods_nothing_is_synced(api: ApiServer, watching: Watching) -> None:
    api.faults.add(Fail(FORBIDDEN), path="/api/v1/pods", times=float("inf"))
    watch = watching()
    eventually(lambda: names.PODS in watch.troubles() and watch.troubles()[names.PODS].startswith("403"))

    assert not watch.synced


def test_kind_that_is_silent_too_long_is_unreadable(api: ApiServer, watching: Watching) -> None:
    watch = watching(stale_after=30.0)
    eventually(lambda: not watch.troubles())
    eventually(lambda: api.watches.idle() == len(EVERYTHING))

    api.clock.advance(31)

    assert watch.troubles()[names.PDBS] == "not heard from for 31 s"
    assert set(watch.snapshot().unreadable) == {kind.name for kind in EVERYTHING}


def test_silence_with_a_cause_names_it(api: ApiServer, watching: Watching) -> None:
    watch = watching(stale_after=30.0)
    eventually(lambda: not watch.troubles())
    eventually(lambda: api.watches.idle() == len(EVERYTHING))
    api.faults.add(Fail(Failure(503, "ServiceUnavailable", "down")), method="WATCH", times=float("inf"))
    api.break_watches()
    eventually(lambda: watch._reflectors[names.PODS].problem.startswith("503"))

    api.clock.advance(31)

    assert watch.troubles()[names.PODS] == "not heard from for 31 s: 503 ServiceUnavailable: down"


def test_malformed_objects_are_listed_by_kind(api: ApiServer, watching: Watching) -> None:
    odd = {"metadata": {"namespace": "default", "name": "odd"}, "spec": {"selector": {"matchLabels": ["x"]}}}
    api.put({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"} | odd)
    watch = watching()
    eventually(lambda: watch.synced and watch.skipped())

    assert set(watch.skipped()) == {names.PDBS}
    assert "malformed" in watch.snapshot().unreadable[names.PDBS]


def test_listener_sees_one_change_at_a_time(api: ApiServer, watching: Watching) -> None:
    changes: list[Change] = []
    inside = threading.Lock()

    def listen(change: Change) -> None:
        assert inside.acquire(blocking=False)
        changes.append(change)
        inside.release()

    watch = watching(listen)
    eventually(lambda: watch.synced)
    api.put({"apiVersion": "v1", "kind": "Pod"} | raw_pod("web-1"))
    eventually(lambda: sum(change.kind == names.PODS for change in changes) == 2)  # it is told after it is kept

    pods = [change for change in changes if change.kind == names.PODS]
    assert [(change.before, change.after.name) for change in pods] == [(None, "web-0"), (None, "web-1")]


def test_extender_sees_lean_pods_the_ledger_and_the_leader(api: ApiServer, watching: Watching) -> None:
    record = EvictionRecord(
        name="u1", pod_uid="u1", pod="web-9", namespace="shop", node="n1", rule="buoyancy", reason="hot", at=NOW
    )
    api.put(encode_record(record, "bayplan-system"))
    api.put(raw_lease(LEADER, holder="d-1"), raw_lease("another"))
    watch = watching(kinds=extender_kinds("bayplan-system"))
    eventually(lambda: watch.synced)

    pod = watch.get(names.PODS, "uid-web-0")
    assert not pod.annotations
    assert watch.values(names.RECORDS)["u1"].pod == "web-9"
    assert {name: holder for name, (holder, _) in watch.values(names.LEASES).items()} == {LEADER: "d-1"}
    ours = {"evictionrecords", "placementplans", "planslots", "leases"}
    assert {call.resource for call in api.calls} == {"nodes", "pods", *ours}


def test_failing_listener_is_reported_and_started_again(watching: Watching) -> None:
    health = Health()
    broken = threading.Event()

    def listen(change: Change) -> None:
        if change.kind == names.NODES and not broken.is_set():
            broken.set()
            raise LookupError("no such berth")

    watch = watching(listen, health=health)

    eventually(lambda: watch.synced)
    eventually(lambda: health.tasks()["watch nodes"].restarts == 1)
    eventually(lambda: health.tasks()["watch nodes"].state is TaskState.RUNNING)
