"""An extender that dies or hangs: every pod binds all the same, and nobody is preempted twice for one pod."""

import math
import threading
import time
from collections.abc import Callable

import pytest

from controlplane.observing import Observer
from controlplane.waiting import never, wait_until
from tests.e2e.placing import TWO_RESOURCES, Placing, fill, going, urgent
from tests.e2e.services import Extender

PODS = 60
EVERY = 0.05
PRESSED = 0.97


def test_every_pod_binds_although_the_extender_is_killed_in_the_middle_of_a_burst(
    placing: Placing, pod_observer: Observer, record_property: Callable[[str, object], None]
) -> None:
    for name in placing.scene.nodes(4):
        placing.measure(name, cpu=0.3)
    extender = placing.start(placing.policy(), measured=4)

    for number in range(PODS):
        placing.pod(f"web-{number}", cpu="10m")
        time.sleep(EVERY)
        if number == PODS // 3:
            wait_until(lambda: _asked(extender) > 0, "the first call")
            extender.program.kill()
        if number == 2 * PODS // 3:
            extender.program.start()

    wait_until(lambda: len(pod_observer.bound()) == PODS, "every pod to be bound", seen=placing.bound, timeout=60)
    record_property("seconds_to_binding", _latencies(pod_observer))
    extender.program.wait_ready()
    asked = _asked(extender)
    placing.place("afterwards")
    assert _asked(extender) > asked


@pytest.mark.parametrize("resumed", ["once-bound", "with-the-victim-going", "again-and-again"])
def test_stalled_extender_costs_no_second_victim(
    placing: Placing, pod_observer: Observer, record_property: Callable[[str, object], None], resumed: str
) -> None:
    nodes = placing.scene.nodes(4)
    for number, name in enumerate(nodes):
        fill(placing, name, f"low-{number}", "low")
        placing.measure(name, cpu=0.9, io=PRESSED)
    extender = placing.start(placing.policy(signals=TWO_RESOURCES, maxRefusedNodes="100%"), measured=4)
    placing.wait_refusable(extender, 4)

    extender.program.pause()
    urgent(placing)
    wait_until(lambda: going(pod_observer), "the first victim", timeout=40)
    with _Flapping(extender, active=resumed == "again-and-again"):
        if resumed == "with-the-victim-going":
            extender.program.resume()
        placing.scene.wait_bound("urgent")
    extender.program.resume()

    never(lambda: len(going(pod_observer)) > 1, "a second victim", during=2)
    record_property("victims", sorted(going(pod_observer)))
    assert len(going(pod_observer)) == 1


class _Flapping:
    """An extender that answers for a moment and hangs for longer than a call may take, in turn."""

    def __init__(self, extender: Extender, *, active: bool) -> None:
        self._program = extender.program
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._flap) if active else None

    def __enter__(self) -> None:
        if self._thread is not None:
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _flap(self) -> None:
        while not self._stop.is_set():
            self._program.resume()
            self._stop.wait(0.2)
            self._program.pause()
            self._stop.wait(0.7)


def _asked(extender: Extender) -> float:
    return extender.metric("bayplan_extender_request_seconds_count", verb="filter")


def _latencies(observer: Observer) -> dict[str, float]:
    """Return the time from the first sight of a pod to the sight of its binding, by quantile."""
    first: dict[str, float] = {}
    for seen in observer.changes:
        first.setdefault(seen.body["metadata"]["name"], seen.at)
    took = sorted(at - first[name] for name, (_, at) in observer.bound().items())
    return {f"p{share}": round(took[math.ceil(len(took) * share / 100) - 1], 3) for share in (50, 90, 100)}
