"""Waking: only for pods that sleep, at most once a second, and again until it worked."""

import math
import threading
from dataclasses import replace

import pytest

from extender.holding import Hold
from extender.memory import Memory
from extender.waiting import Wait
from extender.waking import ANNOTATION, OwnPod, Waker
from policies.values.plans import PlanSlot
from simulator import faults
from simulator.api_server import ApiServer
from simulator.clock import ManualClock, SteppingEvent
from simulator.failures import Failure
from tests.extender.test_polling import make_memory
from tests.policies.plans.making import make_plan, make_quota
from tests.raw import raw_pod

OWN = OwnPod("bayplan-system", "extender-0")


@pytest.fixture
def api(clock: ManualClock) -> ApiServer:
    """Return a cluster in which our own pod runs."""
    server = ApiServer(clock)
    server.put(raw_pod(OWN.name, namespace=OWN.namespace))
    return server


@pytest.fixture
def memory() -> Memory:
    return make_memory()


def make_waker(api: ApiServer, memory: Memory, clock: ManualClock) -> Waker:
    return Waker(api, OWN, memory, clock=clock)


def put_to_sleep(memory: Memory, *, wakes: float = 300.0, uid: str = "u") -> None:
    memory.holding.refuse(uid, now=0.0, until=300.0, asleep=True, wakes=wakes)


def woken(api: ApiServer) -> int:
    return len(api.calls.of("patch", "pods"))


def test_a_plan_that_is_over_wakes_whoever_waits_even_if_nobody_is_known(
    api: ApiServer, memory: Memory, clock: ManualClock
) -> None:
    waker = make_waker(api, memory, clock)
    memory.plans.plan(None, make_plan(make_quota()), now=0.0)
    memory.plans.slot(PlanSlot(plan="p", plan_uid="u", revision=1), now=0.0)
    assert not waker.step()

    memory.plans.slot(PlanSlot(), now=1.0)

    assert waker.step()
    assert woken(api) == 1
    memory.nudged.set()
    clock.advance(5.0)
    assert not waker.step()


def test_pods_that_wait_for_a_plan_are_woken_when_it_lets_them(
    api: ApiServer, memory: Memory, clock: ManualClock
) -> None:
    waker = make_waker(api, memory, clock)
    memory.plans.waiting.put("u", Wait(at=0.0))

    assert not waker.step()
    memory.nudged.set()

    assert waker.step()
    assert woken(api) == 1


def test_a_freed_node_wakes_sleeping_pods_by_a_change_of_our_own_pod(
    api: ApiServer, memory: Memory, clock: ManualClock
) -> None:
    waker = make_waker(api, memory, clock)
    put_to_sleep(memory)
    memory.nudged.set()

    assert waker.step()

    pod = api.find("pods", OWN.name, OWN.namespace)
    assert pod is not None
    assert pod["metadata"]["annotations"][ANNOTATION] == f"{clock.now():.3f}"
    assert not memory.nudged.is_set()


class Nudge(threading.Event):
    """Comes just after it was looked for in vain."""

    def is_set(self) -> bool:
        """Look, and be set."""
        before = super().is_set()
        self.set()
        return before


def test_a_nudge_that_comes_as_it_is_looked_for_is_not_lost(api: ApiServer, memory: Memory, clock: ManualClock) -> None:
    nudged = Nudge()
    waker = make_waker(api, replace(memory, nudged=nudged), clock)
    put_to_sleep(memory)

    assert not waker.step()
    assert waker.step()


def test_nobody_is_woken_where_nobody_sleeps(api: ApiServer, memory: Memory, clock: ManualClock) -> None:
    memory.nudged.set()

    assert not make_waker(api, memory, clock).step()
    assert not memory.nudged.is_set()
    assert woken(api) == 0


def test_pods_that_another_replica_put_to_sleep_are_woken_once(
    api: ApiServer, memory: Memory, clock: ManualClock
) -> None:
    waker = make_waker(api, memory, clock)

    waker.wake_strangers()
    waker.run(SteppingEvent(clock, stop_at=5.0))

    assert woken(api) == 1


def test_a_pod_that_goes_to_sleep_while_the_waker_looks_is_not_overlooked(
    api: ApiServer, memory: Memory, clock: ManualClock
) -> None:
    waker = make_waker(api, memory, clock)
    look = memory.holding.sleepers

    def look_too_early() -> dict[str, Hold]:
        seen = look()
        put_to_sleep(memory)
        memory.nudged.set()  # its node came free meanwhile
        return seen

    memory.holding.sleepers = look_too_early  # type: ignore[method-assign]  # a moment that no thread can be made to hit
    assert not waker.step()

    memory.holding.sleepers = look  # type: ignore[method-assign]
    assert waker.step()


def test_the_end_of_a_hold_wakes_once(api: ApiServer, memory: Memory, clock: ManualClock) -> None:
    waker = make_waker(api, memory, clock)
    put_to_sleep(memory, wakes=5.0)

    waker.run(SteppingEvent(clock, stop_at=4.9))
    assert woken(api) == 0

    waker.run(SteppingEvent(clock, stop_at=20.0))
    assert woken(api) == 1


def test_a_pod_that_asked_again_is_woken_for_its_next_moment(
    api: ApiServer, memory: Memory, clock: ManualClock
) -> None:
    waker = make_waker(api, memory, clock)
    put_to_sleep(memory, wakes=5.0)
    waker.run(SteppingEvent(clock, stop_at=6.0))

    put_to_sleep(memory, wakes=9.0)
    waker.run(SteppingEvent(clock, stop_at=12.0))

    assert woken(api) == 2


def test_it_wakes_at_most_once_a_second(api: ApiServer, memory: Memory, clock: ManualClock) -> None:
    waker = make_waker(api, memory, clock)
    put_to_sleep(memory)

    for _ in range(40):
        memory.nudged.set()
        waker.step()
        clock.advance(0.1)

    assert woken(api) == 4


def test_a_wake_that_failed_is_tried_again_and_told_meanwhile(
    api: ApiServer, memory: Memory, clock: ManualClock
) -> None:
    waker = make_waker(api, memory, clock)
    put_to_sleep(memory)
    api.faults.add(faults.Fail(Failure(403, "Forbidden", "no")), method="PATCH", path="*/pods/*", times=2)
    memory.nudged.set()

    assert not waker.step()
    assert waker.trouble == "sleeping pods cannot be woken, patching extender-0 failed: 403 Forbidden: no"
    assert not waker.step()
    clock.advance(1.0)
    assert not waker.step()
    clock.advance(1.0)
    assert waker.step()

    assert waker.trouble == ""
    counted = memory.meters.registry.get_sample_value
    assert counted("bayplan_extender_wakes_total", {"result": "failed"}) == 2
    assert counted("bayplan_extender_wakes_total", {"result": "woken"}) == 1


def test_a_time_that_failed_to_wake_is_due_again(api: ApiServer, memory: Memory, clock: ManualClock) -> None:
    waker = make_waker(api, memory, clock)
    put_to_sleep(memory, wakes=0.0)
    api.faults.add(faults.Unconnected(), method="PATCH", times=1)

    waker.run(SteppingEvent(clock, stop_at=3.0))

    assert woken(api) == 2  # the first call never arrived
    assert waker.trouble == ""


def test_holds_that_were_over_long_ago_are_swept(api: ApiServer, memory: Memory, clock: ManualClock) -> None:
    put_to_sleep(memory, wakes=math.inf)
    clock.advance(300.0 + 3601.0)

    make_waker(api, memory, clock).step()

    assert memory.holding.of("u") is None
