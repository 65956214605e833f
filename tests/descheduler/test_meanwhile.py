"""The world changes between the decision and the act: whatever a rail would have said, it says before the call."""

import threading
from collections.abc import Callable, Iterator
from typing import Final

import pytest

from descheduler.decisions import Kind
from descheduler.snapshots import WatchedClusters
from simulator.failures import Cause, Failure
from simulator.faults import After, Before, Fail
from sources.kube.cluster_watch import ClusterWatch, WatchSettings
from sources.kube.records import records_path
from tests.builders import NOW
from tests.descheduler.cycles import hot
from tests.descheduler.site import OWN, Process, Site, policy
from tests.descheduler.test_every_call import CALLS, at_call, scene
from tests.manifests import rights
from tests.raw import raw_node, raw_pdb, raw_pod
from tests.sources.waiting import eventually

MERGE: Final = "application/merge-patch+json"
Change = Callable[[Site], object]


def annotate(plural: str, name: str, key: str) -> Change:
    """Return the change that puts an annotation on an object."""
    return lambda site: site.edit(plural, name, {"metadata": {"annotations": {key: "true"}}})


def pdb(name: str, *, at_least: int) -> Change:
    """Return the change that makes a PDB on `web`."""
    return lambda site: site.server.put(raw_pdb(name, app="web", spec={"minAvailable": at_least}))


def two_pdbs(site: Site) -> None:
    """Let two PDBs speak of the victim."""
    pdb("web", at_least=1)(site)
    pdb("all", at_least=1)(site)


def scale(to: int) -> Change:
    """Return the change that scales `web`."""
    path = "/apis/apps/v1/namespaces/default/deployments/web"
    return lambda site: site.server.request("PATCH", path, body={"spec": {"replicas": to}}, content_type=MERGE)


def new_image(site: Site) -> None:
    """Begin a rollout of `web`."""
    containers = [{"name": "main", "image": "example.invalid/newer"}]
    body = {"spec": {"template": {"spec": {"containers": containers}}}}
    path = "/apis/apps/v1/namespaces/default/deployments/web"
    site.server.request("PATCH", path, body=body, content_type=MERGE)


def orphaned(site: Site) -> None:
    """Let the ReplicaSet go and leave its pods."""
    site.edit("pods", "web-0", {"metadata": {"ownerReferences": None}})
    site.server.remove("replicasets", "web-rs")


def controllers_gone(site: Site) -> None:
    """Let Deployment and ReplicaSet go, the pods not yet having been collected."""
    site.server.remove("deployments", "web")


def unready_siblings(site: Site) -> None:
    """Let the other replicas fail their probes."""
    for name in ("web-1", "web-2"):
        conditions = [{"type": "Ready", "status": "False", "lastTransitionTime": "2027-01-15T08:00:00Z"}]
        site.edit("pods", name, {"status": {"conditions": conditions}})


def destinations_gone(site: Site) -> None:
    """Leave no node that could take the replacement, without leaving too few nodes in all."""
    for name in ("n2", "n3"):
        site.edit("nodes", name, {"spec": {"taints": [{"key": "new", "effect": "NoSchedule"}]}})


def destinations_full(site: Site) -> None:
    """Fill both destinations by requests."""
    for name in ("n2", "n3"):
        site.server.put(raw_pod(f"big-{name}", node=name, cpu=3950, namespace="other", workload="big"))


def upgrade(site: Site) -> None:
    """Cordon half of the nodes."""
    for name in ("n2", "n3"):
        site.edit("nodes", name, {"spec": {"unschedulable": True}})


def record_of(pod: str, workload: str) -> Change:
    """Return the change that another process evicts somebody."""

    def write(site: Site) -> None:
        spec = {
            "pod": {"namespace": "default", "name": pod, "uid": f"uid-{pod}"},
            "node": "n1",
            "workload": {"kind": "Deployment", "namespace": "default", "name": workload},
            "rule": "buoyancy",
            "mode": "enforce",
            "writer": "another",
        }
        body = {
            "apiVersion": "bayplan.dev/v1alpha1",
            "kind": "EvictionRecord",
            "metadata": {"name": f"uid-{pod}", "namespace": OWN},
            "spec": spec,
            "status": {"state": "Intent"},
        }
        site.server.request("POST", records_path(OWN), body=body)

    return write


CHANGES: Final[dict[str, tuple[Change, str]]] = {
    "the pod is vetoed": (annotate("pods", "web-0", "bayplan.dev/no-evict"), "veto"),
    "the workload is vetoed": (annotate("deployments", "web", "bayplan.dev/no-evict"), "veto"),
    "the node is vetoed": (annotate("nodes", "n1", "karpenter.sh/do-not-disrupt"), "veto"),
    "a budget appears": (pdb("web", at_least=3), "pdb"),
    "two budgets appear": (two_pdbs, "pdb"),
    "the workload is scaled down": (scale(2), "terminating"),
    "the workload is scaled up": (scale(4), "starting"),
    "a rollout begins": (new_image, "rollout"),
    "the pod is orphaned": (orphaned, "bare"),
    "the controllers are deleted": (controllers_gone, "terminating"),
    "the siblings fail": (unready_siblings, "ready-floor"),
    "the node is cordoned": (lambda site: site.edit("nodes", "n1", {"spec": {"unschedulable": True}}), "source-node"),
    "the node is not ready": (
        lambda site: site.server.put(raw_node("n1", ready=False)),
        "source-node",
    ),
    "the node is deleted": (lambda site: site.server.remove("nodes", "n1"), "source-node"),
    "the destinations are tainted": (destinations_gone, "no-destination"),
    "the destinations are full": (destinations_full, "no-destination"),
    "an upgrade begins": (upgrade, "unusable-nodes"),
    "the pod is gone": (lambda site: site.server.remove("pods", "web-0"), "gone"),
    "another process evicts the same pod": (record_of("web-0", "web"), "recorded"),
    "another process evicts a sibling": (record_of("web-1", "web"), "in-flight"),
    "another process uses up the budget": (record_of("api-0", "api"), "limits"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_rail_would_have_said_it_says_before_the_call(name: str) -> None:
    change, rail = CHANGES[name]
    site = hot(fallBack="none", limits=[{"scope": "node", "max": 1, "window": "10m"}])
    process = site.process()
    # the ledger is listed first for the decision and then again for the act
    site.server.faults.add(Before(lambda: None), method="GET", path="*/evictionrecords")
    site.server.faults.add(Before(lambda: change(site)), method="GET", path="*/evictionrecords")

    (line,) = process.run().decisions

    assert (line.kind, site.evictions()) == (Kind.REFUSED, [])
    assert line.rail == rail, line.message
    assert not [raw for raw in site.server.all("evictionrecords") if raw["spec"]["writer"] != "another"]


def test_a_stateful_sets_pod_that_came_again_under_its_name_is_another_pod() -> None:
    site = hot(fallBack="none")
    process = site.process()

    def again() -> None:
        site.server.put(raw_pod("web-0", patch={"metadata": {"uid": "uid-again"}}, created_at=NOW))

    site.server.faults.add(Before(again), method="GET", path="*/pods/web-0")

    (line,) = process.run().decisions

    assert (line.rail, site.evictions()) == ("eviction-api", [])
    assert "now has UID uid-again" in line.message
    assert site.records()["web-0"]["state"] == "Refused"


# ---------------------------------------------------------------------- the policy and the signals change


def test_a_policy_that_pauses_stops_what_the_last_one_decided_up_to_the_very_call() -> None:
    last = next(at for at, name in enumerate(CALLS) if name.endswith("create pods/eviction"))
    assert CALLS[last - 1].endswith("get pods")  # the last look at the pod
    for name in CALLS[:last]:
        site = scene()
        process = site.process("a")

        def pause(site: Site = site) -> None:
            site.policy, site.policy_hash = policy(paused=True), "paused"

        at_call(site, name, After(pause))

        process.run()

        assert site.evictions() == [], f"paused at {name}"
        assert {status["state"] for status in site.records().values()} <= {"Refused"}


BUSY: Final = Fail(
    Failure(429, "TooManyRequests", "no", (Cause("DisruptionBudget", "needs 3 healthy pods and has 2 currently"),))
)


def test_fc_025_a_node_that_is_still_hot_when_the_budget_is_back_gives_up_its_pod() -> None:
    site = hot(retryFor="10m")
    site.server.faults.add(BUSY, path="*/eviction", times=float("inf"))
    site.clock.call_after(240, site.server.faults.clear)

    (line,) = site.process().run().decisions

    assert line.kind is Kind.EVICTED
    assert 240 <= site.witness.evicted["uid-web-0"] - NOW <= 300


def test_waiting_for_a_budget_does_not_outlast_the_reason() -> None:
    site = hot(retryFor="10m")
    site.server.faults.add(BUSY, path="*/eviction", times=float("inf"))
    site.clock.call_after(50, lambda: site.others.update(n1=0.0))
    site.clock.call_after(120, site.server.faults.clear)

    (line,) = site.process().run().decisions

    assert (line.kind, line.rail, site.witness.evicted) == (Kind.REFUSED, "no-longer-proposed", {})
    assert "the signals of now do not propose it any more" in line.message
    assert site.records()["web-0"]["state"] == "Refused"
    assert site.clock.monotonic() < 120


@pytest.mark.parametrize("jump", [-600.0, -90.0])
def test_a_server_clock_that_is_set_back_keeps_no_reason_alive(jump: float) -> None:
    site = hot(retryFor="10m")
    site.server.faults.add(BUSY, path="*/eviction", times=float("inf"))
    site.clock.call_after(20, lambda: setattr(site.server, "skew", jump))
    site.clock.call_after(50, lambda: site.others.update(n1=0.0))
    site.clock.call_after(300, site.server.faults.clear)

    (line,) = site.process().run().decisions

    assert (line.kind, line.rail, site.witness.evicted) == (Kind.REFUSED, "no-longer-proposed", {})
    assert site.clock.monotonic() < 120


# ---------------------------------------------------------------------- a watch that has fallen silent


@pytest.fixture
def blind() -> Iterator[Callable[[Site], Process]]:
    """Start a process of the loop whose watches have seen everything so far and fall silent now."""
    stop, begun = threading.Event(), list[tuple[Site, ClusterWatch]]()

    def start(site: Site) -> Process:
        api = site.server.connect("a", rights("descheduler"))
        settings = WatchSettings(clock=site.clock, seed=1)
        watch = ClusterWatch(api, settings=settings)
        begun.append((site, watch))
        watch.start(stop)
        # a kind counts as seen once it is listed: its watch, opened a moment later, must not escape the frost
        eventually(lambda: watch.synced and site.server.freeze_watches() == len(settings.kinds))
        return site.process("a", clusters=WatchedClusters(watch))

    yield start
    stop.set()
    for site, watch in begun:
        site.server.close()
        assert watch.join(10)


# The ledger is listed each time anyway. An upgrade shows on many nodes, of which only two are read again.
UNSEEN: Final = [name for name in CHANGES if not name.startswith(("another process", "an upgrade"))]


@pytest.mark.parametrize("name", UNSEEN)
def test_no_silent_watch_hides_what_protects_the_victim(name: str, blind: Callable[[Site], Process]) -> None:
    change, rail = CHANGES[name]
    site = hot(fallBack="none", limits=[{"scope": "node", "max": 1, "window": "10m"}])
    process = blind(site)
    site.demands, site.signals = {}, site.measured()
    change(site)

    (line,) = process.run().decisions

    assert (line.kind, site.evictions()) == (Kind.REFUSED, [])
    assert line.rail == rail, line.message


def test_a_watch_that_is_only_behind_evicts_as_ever(blind: Callable[[Site], Process]) -> None:
    site = hot()
    process = blind(site)

    process.run()

    assert site.evictions() == ["web-0"]
