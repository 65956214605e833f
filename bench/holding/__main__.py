"""`python -m bench.holding [HELD …]`: hold 10, 50 and 100 pods in both ways, and print what it cost."""

import argparse
import sys
import time
import warnings
from functools import partial
from typing import Final

import urllib3

from bench import machine, results
from bench.building import GoPrograms
from bench.holding import gates
from bench.holding.turns import NAMESPACE, PACE, SCHEDULER, TRAFFIC, Ground, Turn
from bench.stage import Stage
from controlplane import building, configs, objects
from controlplane.clusters import ControlPlane, Options
from controlplane.objects import PodShape
from controlplane.waiting import wait_until

_NODES: Final = 20
_HEAD: Final = (
    "held",
    "way",
    "filter calls/s, quiet",
    "filter calls/s",
    "attempts/s",
    "scheduler CPU",
    "others bind after p50, p90, p99",
    "held bound after release",
    "within 30 s of Bayplan's death",
)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.holding", description=__doc__)
    parser.add_argument("held", nargs="*", type=int, default=[10, 50, 100], help="how many pods to hold")
    given = parser.parse_args()
    warnings.simplefilter("ignore", urllib3.exceptions.InsecureRequestWarning)  # the scheduler's own certificate
    with ControlPlane(building.ensure(), Options()) as plane:
        ground = _ground(plane)
        print(f"the parameter of the policy is obeyed after {_delay(plane) * 1e3:.0f} ms", flush=True)
        rows = [("held", ground.turn("refuse", 0))]
        for held in given.held:
            for way in ("refuse", "gate"):
                rows.append((way, ground.turn(way, held)))
                print(_line(rows[-1][1]), flush=True)
    print(f"\n{len(rows)} turns of {TRAFFIC:g} s with {PACE:g} other pods a second, {_NODES} nodes\n")
    print("\n".join([f"| {' | '.join(_HEAD)} |", "|" + "---|" * len(_HEAD), *(_line(turn) for _, turn in rows)]))
    print(results.facts(machine.facts() | {"load average": machine.load()}))
    return 0


def _ground(plane: ControlPlane) -> Ground:
    stage = Stage(plane.run, GoPrograms(plane.run.folder), seed=1)
    plane.programs["stub"] = stage.program(
        "stub",
        [sys.executable, "-m", "bench.holding.stub", f"--port={plane.run.port('stub')}"],
        ready="/counts",
    )
    plane.programs["stub"].start()
    plane.programs["stub"].wait_ready()
    nodes = plane.add_nodes(_NODES)
    for name in ("default", NAMESPACE):
        if plane.admin.find(f"/api/v1/namespaces/{name}") is None:
            plane.admin.create("/api/v1/namespaces", {"metadata": {"name": name}})
        account = f"/api/v1/namespaces/{name}/serviceaccounts/default"
        wait_until(partial(plane.admin.find, account), f"the ServiceAccount of {name}")
    plane.admin.create(
        "/api/v1/namespaces/default/pods", objects.pod("own", PodShape(cpu="10m", spec={"nodeName": nodes[0]}))
    )
    gates.install(plane.admin, NAMESPACE)
    plane.start_scheduler(SCHEDULER, configs.with_extender(f"{stage.url('stub')}/v1"))
    return Ground(stage, plane, nodes)


def _delay(plane: ControlPlane) -> float:
    """Return how long after it was made the policy's parameter is obeyed, once policy and binding have been seen."""
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "x", "uid": "tried", "controller": True}
    tried = objects.pod("tried")
    tried["metadata"]["ownerReferences"] = [owner]
    took = 0.0
    for _ in range(2):  # the first time waits for the policy itself
        gates.activate(plane.admin, NAMESPACE, "tried")
        began = time.monotonic()
        wait_until(lambda: gates.gates(plane.admin, NAMESPACE, tried), "gates", interval=0.002)
        took = time.monotonic() - began
        gates.deactivate(plane.admin, NAMESPACE)
        wait_until(lambda: not gates.gates(plane.admin, NAMESPACE, tried), "no gates", interval=0.002)
    return took


def _line(turn: Turn) -> str:
    released = turn.released
    cells = [
        str(turn.held),
        turn.way,
        f"{turn.calls_quiet:.1f}",
        f"{turn.calls:.0f}",
        f"{turn.attempts:.0f}",
        f"{turn.scheduler_cpu:.0%}",
        f"{turn.to_bind}",
        f"first {min(released.values) * 1e3:.0f}, last {released.largest * 1e3:.0f} ms",
        turn.left,
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
