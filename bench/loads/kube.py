"""A Kubernetes API that is large and busy: `python -m bench.loads.kube --port P --nodes N --pods N --plan FILE`.

Lists come in pages; the watch of pods brings `rate` events a second: of five, a pod is made, bound and Ready, and an
old one terminates and goes. Nodes report their status every five minutes, as kubelets do. The file has an active plan
and the slot that names it, which is renewed every two seconds. Writes are accepted and forgotten.
"""

import argparse
import copy
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import orjson

from bench import population
from bench.loads.serving import Handler, serve
from bench.population import Population
from controlplane.objects import Object

_BOOKMARK_EVERY: Final = 60.0
_NODE_REPORTS_EVERY: Final = 300.0
_RENEWED_EVERY: Final = 2.0
_LIFE: Final = 5  # events of one pod made and one pod gone
_DAY: Final = 86_400.0
_SLOTS: Final = "planslots"
Make = Callable[[int], Object]


class World:
    """The objects and the events; an event's number is the resource version it leaves."""

    def __init__(self, population: Population, *, rate: float, active: Object | None = None) -> None:
        self.population = population
        self.rate = rate
        self.began = time.time()
        self._active = active

    def running(self, number: int) -> Object:
        """Return a pod of the initial population."""
        return population.running_pod(number, self.population, created=self.began - _DAY)

    def pod_event(self, number: int) -> Object:
        """Return the event of this number as of now."""
        turn, step = divmod(number, _LIFE)
        now, new = time.time(), self.population.pods + turn
        if step == 0:
            return _event("ADDED", population.pending_pod(new, self.population, now=now))
        if step == 1:
            return _event("MODIFIED", population.bound_pod(new, self.population, now=now, created=now))
        if step == 2:  # noqa: PLR2004  # the third event of a life
            return _event("MODIFIED", population.running_pod(new, self.population, now=now, created=now))
        old = self.running(turn)
        old["metadata"]["deletionTimestamp"] = population.stamp(now + 30)
        return _event("DELETED" if step == _LIFE - 1 else "MODIFIED", old)

    def plans(self, kind: str) -> list[Object]:
        """Return the plan or the slot, nothing of another kind or where there is no plan."""
        return [copy.deepcopy(self._active[kind])] if self._active is not None and kind in self._active else []

    def renewal(self, number: int) -> Object:
        """Return the slot as it is renewed."""
        (slot,) = self.plans(_SLOTS)
        slot["spec"]["renewal"] = number
        return _event("MODIFIED", slot)

    def node_event(self, number: int) -> Object:
        """Return one node's report."""
        return _event("MODIFIED", population.node(number % self.population.nodes))


def _event(kind: str, body: Object) -> Object:
    return {"type": kind, "object": body}


def events(make: Make, *, first: int, rate: float) -> Iterator[bytes]:
    """Yield events at a steady rate, as JSON."""
    began, number = time.monotonic(), first
    while True:
        time.sleep(max(0.0, began + (number - first) / rate - time.monotonic()))
        event = make(number)
        number += 1
        event["object"]["metadata"]["resourceVersion"] = str(number)
        yield orjson.dumps(event)


def bookmarks() -> Iterator[bytes]:
    """Yield what a quiet watch brings."""
    while True:
        time.sleep(_BOOKMARK_EVERY)
        yield orjson.dumps(_event("BOOKMARK", {"metadata": {"resourceVersion": "0"}}))


class KubeHandler(Handler):
    """Answers as far as Bayplan asks."""

    world: World

    def respond(self) -> None:
        """Answer lists and watches; give or take any single object."""
        sizes = self.world.population
        made: dict[str, tuple[Make, Make, int, float]] = {
            "/api/v1/pods": (self.world.running, self.world.pod_event, sizes.pods, self.world.rate),
            "/api/v1/nodes": (population.node, self.world.node_event, sizes.nodes, sizes.nodes / _NODE_REPORTS_EVERY),
        }
        kind = self.place.rpartition("/")[2]
        plans = self.world.plans(kind)
        if plans:
            rate = 1 / _RENEWED_EVERY if kind == _SLOTS else 0.0
            made[self.place] = (plans.__getitem__, self.world.renewal, 1, rate)
        one, event, count, rate = made.get(self.place, (population.node, population.node, 0, 0.0))
        if "watch" in self.query:
            first = int(self.query.get("resourceVersion") or 0)
            self.lines(events(event, first=first, rate=rate) if rate else bookmarks())
        elif "limit" in self.query:
            self.answer(page(one, count, start=int(self.query.get("continue", 0)), size=int(self.query["limit"])))
        else:
            self.answer({"metadata": {"name": self.place.rpartition("/")[2], "uid": "bench"}})


def page(one: Make, count: int, *, start: int, size: int) -> bytes:
    """Return one page of a list at the version before the first event."""
    end = min(count, start + size)
    metadata = {"resourceVersion": "0", "continue": str(end) if end < count else ""}
    return orjson.dumps({"metadata": metadata, "items": [_listed(one(number)) for number in range(start, end)]})


def _listed(body: Object) -> Object:
    body["metadata"]["resourceVersion"] = "0"
    return body


def main() -> None:
    """Serve until ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--pods", type=int, default=150_000)
    parser.add_argument("--workloads", type=int, default=5_000)
    parser.add_argument("--rate", type=float, default=300.0)
    parser.add_argument("--plan", type=Path)
    given = parser.parse_args()
    sizes = Population(nodes=given.nodes, pods=given.pods, workloads=given.workloads)
    active = None if given.plan is None else orjson.loads(given.plan.read_bytes())
    KubeHandler.world = World(sizes, rate=given.rate, active=active)
    serve(KubeHandler, given.port)


if __name__ == "__main__":
    main()
