"""When a plan is asked for: each trigger by its own clock, coalesced, and a stale solve is cancelled."""

from collections.abc import Mapping
from threading import Event, Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from descheduler.planning.desk import Asked, Desk
from descheduler.planning.triggers import Triggers, pending
from policies.model.loading import Loaded
from policies.values import kinds
from policies.values.pods import Phase, Pod
from simulator.clock import ManualClock
from sources.kube.cluster_watch import Change
from tests.builders import NOW, make_pod
from tests.descheduler.planning.site import plan_policy


class Scene:
    """Triggers with pods, a clock and a desk that a test moves."""

    def __init__(self, **plan: Any) -> None:
        self.policy = plan_policy(**plan)
        self.clock = ManualClock()
        self.desk = Desk()
        self.pods: Mapping[str, Pod] = {}
        self.stop = Event()
        self.triggers = Triggers(
            desk=self.desk,
            policy=lambda: Loaded(policy=self.policy, hash="abc"),
            pods=lambda: self.pods,
            clock=self.clock,
        )

    def waiting(self, *names: str) -> None:
        """Let these pods be the pending ones."""
        self.pods = {f"uid-{name}": make_pod(name, node=None) for name in names}

    def look(self, seconds: float = 0.0) -> str | None:
        """Let time pass in steps of the poll and return the trigger that asked at last, if one did."""
        self.triggers.look()
        while seconds > 0:
            self.clock.advance(0.25)
            self.triggers.look()
            seconds -= 0.25
        asked = self.desk.take(0, stop=self.stop)
        return None if asked is None else asked.trigger

    def fail(self, name: str = "web-0", **changes: Any) -> None:
        """Report a pod unschedulable, as the watch sees it."""
        pod = make_pod(name, node=None, unschedulable_since=NOW, **changes)
        self.pods = dict(self.pods) | {pod.uid: pod}
        self.triggers.heard(Change(kinds.PODS, None, pod))


# ---------------------------------------------------------------------- who is pending


@pytest.mark.parametrize(
    ("change", "counts"),
    [
        ({}, True),
        ({"nominated_node": "n1"}, False),
        ({"terminating": True}, False),
        ({"gated": True}, False),
        ({"phase": Phase.FAILED}, False),
        ({"node": "n1"}, False),
    ],
)
def test_pending_are_those_that_nobody_has_a_place_for(change: dict[str, Any], *, counts: bool) -> None:
    pod = make_pod("web-0", **({"node": None} | change))

    assert (pod.uid in pending([pod])) is counts


# ---------------------------------------------------------------------- off, periodic


def test_off_asks_for_nothing() -> None:
    scene = Scene(trigger="off")
    scene.waiting("web-0")
    scene.fail("web-1")

    assert scene.look(60) is None


def test_periodic_asks_at_its_pace() -> None:
    scene = Scene(trigger="periodic", interval="8s")

    assert scene.look(7.75) is None
    assert scene.look(0.25) == "periodic"
    scene.desk.done()
    assert scene.look(7.75) is None
    assert scene.look(0.25) == "periodic"


def test_periodic_waits_for_the_attempt_that_is_going_on() -> None:
    scene = Scene(trigger="periodic", interval="8s")
    assert scene.look(8) == "periodic"

    scene.triggers.look()
    assert scene.look(30) is None
    scene.desk.done()
    assert scene.look() == "periodic"


# ---------------------------------------------------------------------- stable queue


def test_stable_queue_asks_once_the_pending_pods_stay_the_same() -> None:
    scene = Scene(trigger="stable-queue", stableFor="8s")
    scene.waiting("web-0")
    assert scene.look(4) is None
    scene.waiting("web-0", "web-1")

    assert scene.look(7.75) is None
    assert scene.look(0.5) == "stable-queue"


def test_stable_queue_without_anybody_pending_asks_for_nothing() -> None:
    scene = Scene(trigger="stable-queue", stableFor="8s")

    assert scene.look(60) is None


def test_change_of_the_queue_cancels_the_solve_at_the_next_look() -> None:
    scene = Scene(trigger="stable-queue", stableFor="8s")
    scene.waiting("web-0")
    assert scene.look(8.25) == "stable-queue"
    scene.desk.solving("stable-queue")
    scene.triggers.look()
    assert not scene.desk.is_set()

    scene.waiting("web-0", "web-1")
    scene.triggers.look()

    assert scene.desk.is_set()


def test_change_of_the_queue_does_not_touch_the_solve_of_another_trigger() -> None:
    scene = Scene(trigger="stable-queue", stableFor="8s")
    scene.waiting("web-0")
    scene.triggers.look()
    scene.desk.solving("relief")

    scene.waiting("web-1")
    scene.triggers.look()

    assert not scene.desk.is_set()


@given(st.lists(st.tuples(st.integers(1, 40), st.frozensets(st.sampled_from("abc"))), max_size=12))
def test_stable_queue_never_asks_about_a_queue_that_changed_lately(steps: list[tuple[int, frozenset[str]]]) -> None:
    scene = Scene(trigger="stable-queue", stableFor="8s")
    seen: list[frozenset[str]] = []
    for polls, names in steps:
        scene.waiting(*names)
        for _ in range(polls):
            seen.append(names)
            asked = scene.look()
            scene.desk.done()
            if asked is not None:
                assert len(seen) > 32
                assert set(seen[-33:]) == {names}
                assert names
            scene.clock.advance(0.25)


# ---------------------------------------------------------------------- scheduling failure


def test_scheduling_failure_is_noticed_at_once() -> None:
    scene = Scene(trigger="scheduling-failure")
    scene.fail()

    assert scene.triggers.nudged.is_set()
    assert scene.look() == "scheduling-failure"
    assert scene.look(10) is None


def test_failures_are_coalesced_while_an_attempt_is_going_on() -> None:
    scene = Scene(trigger="scheduling-failure")
    scene.fail("web-0")
    assert scene.look() == "scheduling-failure"
    for number in range(1, 9):
        scene.fail(f"web-{number}")
    assert scene.look(2) is None

    scene.desk.done()

    assert scene.look() == "scheduling-failure"
    scene.desk.done()
    assert scene.look(2) is None


def test_failure_of_a_pod_that_has_gone_meanwhile_asks_for_nothing() -> None:
    scene = Scene(trigger="scheduling-failure")
    scene.fail()
    scene.pods = {}

    assert scene.look() is None


def test_changes_of_other_pods_are_no_failures() -> None:
    scene = Scene(trigger="scheduling-failure")
    scene.waiting("web-1")
    for change in (
        Change(kinds.PODS, make_pod(), None),
        Change(kinds.PODS, None, make_pod("web-0", unschedulable_since=NOW)),
        Change(kinds.PODS, None, make_pod("web-1", node=None)),
        Change(kinds.NODES, None, None),
    ):
        scene.triggers.heard(change)

    assert scene.look() is None


def test_pod_that_failed_while_plans_were_off_is_asked_about_once_they_are_on() -> None:
    scene = Scene(trigger="off")
    scene.fail()
    scene.look()
    scene.policy = plan_policy(trigger="scheduling-failure")

    assert scene.look() == "scheduling-failure"


def test_pods_that_still_wait_are_asked_about_again_though_nothing_more_is_heard_of_them() -> None:
    scene = Scene(trigger="scheduling-failure")
    scene.fail()
    assert scene.look() == "scheduling-failure"
    scene.desk.done()

    assert scene.look(59.5) is None
    assert scene.look(1) == "scheduling-failure"


def test_pods_that_no_scheduler_has_failed_on_are_not_asked_about() -> None:
    scene = Scene(trigger="scheduling-failure")
    scene.waiting("web-0")

    assert scene.look(130) is None


def test_thread_of_the_triggers_reacts_to_a_failure_and_ends() -> None:
    scene = Scene(trigger="scheduling-failure")
    thread = Thread(target=scene.triggers.run, args=(scene.stop,))
    thread.start()
    scene.fail()

    asked = scene.desk.take(5, stop=scene.stop)

    assert asked == Asked(trigger="scheduling-failure")
    scene.stop.set()
    thread.join(20)
    assert not thread.is_alive()
