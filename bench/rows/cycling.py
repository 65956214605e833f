"""Row `cycle`: the descheduler's loop on a real control plane with 1,000 nodes and 10,000 running pods.

Five nodes are oversubscribed for long enough. The pods of one of them fit nowhere else, so that every cycle looks for
room on all nodes in vain; those of the others are chosen in the first cycles and counted (observe mode).
"""

import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import requests

from bench import crowding, memory, plans, population, scraping
from bench.crowding import Crowd
from bench.plans import Measured
from bench.population import Population
from bench.results import Result
from bench.scraping import Scrape
from bench.stage import Stage
from controlplane import building
from controlplane.clusters import ControlPlane, Options
from controlplane.objects import NodeShape, Object
from launching import installing
from launching.services import Service

SIZES: Final = Population(nodes=1_000, pods=10_000, workloads=500)
_HOT: Final = 5
_INTERVAL: Final = 4.0
_WARM: Final = 4
_CYCLES: Final = 10
_SECONDS: Final = "bayplan_descheduler_cycle_seconds_sum"
_DONE: Final = "bayplan_descheduler_cycles_total"
_MIB: Final = 2**20
# One pod in ten has an objective.
_TEAMS: Final = [*map(str, range(5))]
_APART: Final = {"bench": "apart"}


def measure(stage: Stage, _wanted: frozenset[str]) -> Iterator[Result]:
    """Fill a control plane, let the loop run, and yield the two lines of the row."""
    options = Options(controllers=False)
    with ControlPlane(building.ensure(), options) as plane, crowding.crowd(plane) as crowd:
        _fill(plane, crowd)
        policy = _policy(stage)
        with (
            stage.prometheus(plans.plan(policy, _measured(), _draw, seed=stage.seed)),
            stage.descheduler(policy, plane.admin_kubeconfig, interval=f"{_INTERVAL:g}s") as descheduler,
        ):
            time.sleep(_WARM * _INTERVAL)
            cycles = [_next_cycle(stage, descheduler) for _ in range(_CYCLES)]
            yield _duration(cycles)
            yield _memory(descheduler)


def _fill(plane: ControlPlane, crowd: Crowd) -> None:
    installing.install(plane)
    crowd.nodes(range(SIZES.nodes), _shape)
    uids = crowd.workloads(range(SIZES.workloads), replicas=SIZES.pods // SIZES.workloads)
    now = time.time()
    crowd.pods(_pod(number, uids, now) for number in range(SIZES.pods))
    crowding.wait_running(plane.admin, timeout=600)
    plane.programs["kwok"].stop()  # what runs goes on running, and the processors are free for what is measured


def _shape(number: int) -> NodeShape:
    labels = _APART if number == 0 else {}
    return NodeShape(cpu="32", memory="128Gi", address=population.address(number), labels=labels)


def _pod(number: int, uids: Mapping[int, str], now: float) -> Object:
    pod = crowding.standing_pod(number, SIZES, owner_uid=uids[number % SIZES.workloads], now=now)
    if number % SIZES.nodes == 0:
        pod["spec"]["nodeSelector"] = _APART
    return pod


def _policy(stage: Stage) -> str:
    objective = {
        "name": "latency",
        "selector": {"matchExpressions": [{"key": "team", "operator": "In", "values": _TEAMS}]},
        "indicator": "max by (namespace, pod) (request_seconds)",
        "age": "time() - max by (namespace, pod) (timestamp(request_seconds))",
        "atMost": "250ms",
        "window": "60s",
    }
    return plans.policy(stage.url("prometheus"), slos=[objective], eviction={"minPodAge": "0s"})


def _measured() -> Measured:
    made = [population.pending_pod(number, SIZES, now=0.0)["metadata"] for number in range(SIZES.pods)]
    return replace(
        plans.measured(SIZES),
        pods=[_labels(one) for one in made],
        served=[_labels(one) for one in made if one["labels"]["team"] in _TEAMS],
    )


def _labels(metadata: Object) -> dict[str, str]:
    return {"namespace": metadata["namespace"], "pod": metadata["name"]}


def _draw(name: str, number: int, chance: random.Random) -> float:
    hot = number % SIZES.nodes < _HOT
    if name == "cpu.node":
        return 0.98 if hot else chance.uniform(0.1, 0.6)
    if name == "cpu.pressure":
        return 0.4 if hot else chance.uniform(0, 0.1)
    if name == "cpu.pod":
        return chance.uniform(1, 5) if hot else chance.uniform(0.1, 0.6)
    if name == "slo/latency":
        return chance.uniform(0.05, 0.2)
    return plans.ordinary(name, number, chance)


def _next_cycle(stage: Stage, descheduler: Service) -> dict[str, float]:
    """Return the seconds of one cycle (or of the mean of two, where two ended meanwhile) by step.

    What Prometheus took to prepare its answers is taken off the step that waits for it.
    """
    before, thought = scraping.scrape(descheduler), _thought(stage)
    while not (cycles := _since(descheduler, before).value(_DONE, result="done")):
        time.sleep(0.2)
    time.sleep(_INTERVAL / 2)  # away from the ends of cycles, so that each is seen whole
    spent = _since(descheduler, before)
    cycles = spent.value(_DONE, result="done")
    steps = spent.by("step", _SECONDS)
    steps["signals"] -= _thought(stage) - thought
    return {step: seconds / cycles for step, seconds in steps.items()}


def _since(descheduler: Service, before: Scrape) -> Scrape:
    return scraping.scrape(descheduler).since(before)


def _thought(stage: Stage) -> float:
    seconds: float = requests.get(f"{stage.url('prometheus')}/thinking", timeout=10).json()["seconds"]
    return seconds


def _duration(cycles: list[dict[str, float]]) -> Result:
    totals = sorted(sum(steps.values()) for steps in cycles)
    median = totals[len(totals) // 2]
    means = {step: sum(one[step] for one in cycles) / len(cycles) for step in cycles[0]}
    by_step = ", ".join(f"{step} {seconds * 1e3:.0f}" for step, seconds in means.items() if seconds >= 0.0005)  # noqa: PLR2004  # what rounds to 1 ms
    return Result(
        row="cycle",
        what="descheduler cycle, 1,000 nodes and 10,000 pods, without the wait for Prometheus",
        target="≤ 0.35 s",
        seen=f"{median:.2f} s",
        met=median <= 0.35,  # noqa: PLR2004  # the target
        remarks=f"median of {len(totals)} cycles, {totals[0]:.2f} to {totals[-1]:.2f}; mean ms by step: {by_step}",
    )


def _memory(descheduler: Service) -> Result:
    held = memory.resident(descheduler.program.pid)
    return Result(
        row="cycle",
        what="descheduler, resident memory meanwhile",
        target="≤ 200 MiB",
        seen=f"{held / _MIB:.0f} MiB",
        met=held <= 200 * _MIB,
        remarks=f"peak {memory.peak(descheduler.program.pid) / _MIB:.0f} MiB",
    )
