"""What surrounds a plan is kept up from change to change: nothing is looked at twice, and nothing is missed."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from descheduler.planning.following import LOOKS_ANEW_EVERY
from descheduler.planning.sights import ListedSight, WatchedSight
from policies.plans.converging import Progress, progress
from policies.values import kinds
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from policies.values.workloads import WorkloadRef
from simulator.failures import Failure
from simulator.faults import Delayed, Fail
from sources.kube.cluster_watch import Change, ClusterWatch, WatchSettings
from tests.descheduler.planning.site import Site, paper
from tests.policies.plans.plan_builders import make_plan
from tests.raw import raw_node, raw_pod
from tests.sources.waiting import eventually

MERGE = "application/merge-patch+json"


@dataclass
class Scene:
    """The paper's example under a watch, with a plan for it. While `deaf`, the sight is told of no change."""

    site: Site = field(default_factory=paper)
    stop: threading.Event = field(default_factory=threading.Event)
    deaf: bool = False

    def __post_init__(self) -> None:
        self.site.scheduler.paused = True
        settings = WatchSettings(clock=self.site.clock, seed=1)
        self.watch = ClusterWatch(self.site.server, settings=settings, on_change=self.heard)
        self.sight = WatchedSight(self.watch, self.site.server, self.site.clock)
        self.watch.start(self.stop)
        eventually(lambda: self.watch.synced)
        self.before = self.watch.snapshot()
        self.plan: Plan = make_plan(self.before, move={"pod3-0": "n1"}, place={"pod4-0": "n2"})

    def heard(self, change: Change) -> None:
        """Tell the sight."""
        if not self.deaf:
            self.sight.heard(change)

    def end(self) -> None:
        """End the watch."""
        self.stop.set()
        while not self.watch.join(0.05):
            self.site.server.end_watches()

    def patch(self, path: str, body: dict[str, Any]) -> None:
        """Change an object."""
        self.site.server.request("PATCH", path, body=body, content_type=MERGE)

    def settled(self) -> None:
        """Wait until the watch knows of a pod that concerns nobody and was made last."""
        at = len(self.site.server.all("pods"))
        self.site.server.put(raw_node(f"m{at}"), raw_pod(f"mark-{at}", node=f"m{at}", workload="mark"))
        eventually(lambda: self.watch.get(kinds.PODS, f"uid-mark-{at}") is not None)

    def seen(self, look: Callable[[], Cluster]) -> Progress:
        """Return the plan's progress on what surrounds it."""
        return progress(self.plan, look(), before=self.before)

    @property
    def whole(self) -> Progress:
        """The plan's progress on the whole cluster."""
        return self.seen(self.watch.snapshot)


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    yield made
    made.end()


def test_what_nothing_has_touched_is_the_same_object(scene: Scene) -> None:
    with scene.sight.following(scene.plan) as look:
        first = look()
        scene.settled()

        assert look() is first

    assert set(first.nodes) == {"n1", "n2"}
    assert {pod.name for pod in first.pods.values()} == {"pod1-0", "pod2-0", "pod3-0", "pod4-0"}
    assert scene.seen(lambda: first) == scene.whole


def test_how_a_pod_fares_is_no_change(scene: Scene) -> None:
    with scene.sight.following(scene.plan) as look:
        first = look()
        scene.patch("/api/v1/namespaces/default/pods/pod3-0", {"metadata": {"labels": {"other": "label"}}})
        scene.settled()

        assert look() is first


@pytest.mark.parametrize(
    "happen",
    [
        lambda site: site.server.remove("pods", "pod3-0"),
        lambda site: site.server.put(raw_pod("late", node="n2", cpu=300, workload="late", owner=None)),
        lambda site: site.server.put(raw_node("n2", cpu=500)),
        lambda site: site.server.remove("nodes", "n2"),
    ],
    ids=["a victim goes", "somebody comes", "a node shrinks", "a node goes"],
)
def test_what_touches_the_plan_is_seen(scene: Scene, happen: Callable[[Site], object]) -> None:
    with scene.sight.following(scene.plan) as look:
        first = look()
        happen(scene.site)
        scene.settled()

        eventually(lambda: look() is not first)
        assert scene.seen(look) == scene.whole
        assert look() is look()


def test_pod_that_comes_where_nobody_is_awaited_is_no_change(scene: Scene) -> None:
    with scene.sight.following(scene.plan) as look:
        scene.site.server.put(raw_node("n3"), raw_pod("late", node="n3", workload="late", owner=None))
        first = look()
        scene.site.server.remove("pods", "late")
        scene.settled()

        assert look() is first


def test_scaled_workload_is_seen(scene: Scene) -> None:
    with scene.sight.following(scene.plan) as look:
        look()
        scene.patch("/apis/apps/v1/namespaces/default/deployments/pod4", {"spec": {"replicas": 0}})
        ref = WorkloadRef("Deployment", "default", "pod4")

        eventually(lambda: look().workloads[ref].wanted == 0)
        eventually(lambda: look().workloads[ref] == scene.watch.snapshot().workloads[ref])
        scene.settled()
        assert scene.seen(look) == scene.whole


def test_rollout_is_seen(scene: Scene) -> None:
    with scene.sight.following(scene.plan) as look:
        look()
        change = {"spec": {"template": {"metadata": {"annotations": {"test/rolled": "yes"}}}}}
        scene.patch("/apis/apps/v1/namespaces/default/deployments/pod3", change)

        eventually(lambda: progress(scene.plan, look(), before=scene.before).abort is not None)
        scene.settled()
        assert scene.seen(look) == scene.whole


def test_change_that_nobody_told_of_is_seen_after_a_while(scene: Scene) -> None:
    scene.deaf = True
    with scene.sight.following(scene.plan) as look:
        first = look()
        scene.site.server.remove("pods", "pod3-0")
        scene.settled()
        assert look() is first

        scene.site.clock.advance(LOOKS_ANEW_EVERY)

        assert "uid-pod3-0" not in look().pods
        assert scene.seen(look) == scene.whole


def test_watch_that_cannot_be_trusted_is_told(scene: Scene) -> None:
    with scene.sight.following(scene.plan) as look:
        first = look()
        scene.site.server.faults.add(Fail(Failure(500, "InternalError", "no")), times=float("inf"))
        scene.site.server.end_watches()
        scene.site.clock.advance(200)
        eventually(lambda: kinds.PODS in look().unreadable)

        assert look() is not first
        assert "could not be read: pods" in progress(scene.plan, look()).missing
        scene.site.server.faults.clear()


def test_nothing_is_followed_once_the_plan_is_over(scene: Scene) -> None:
    with scene.sight.following(scene.plan) as look:
        first = look()
    scene.site.server.remove("pods", "pod3-0")
    scene.settled()

    assert look() is first


def test_who_lists_lists_less_often_where_a_list_takes_long() -> None:
    site = paper()
    sight = ListedSight(site.server, site.clock)
    site.server.faults.add(Delayed(3.0), path="*/pods")
    with sight.following(Plan(name="p")) as look:
        first = look()
        site.clock.advance(11.0)
        assert look() is first

        site.clock.advance(1.1)
        again = look()
        assert again is not first

        site.clock.advance(1.1)
        assert look() is not again
