"""Policies for the benchmarks, and what the stand-in Prometheus answers to their queries; starts nothing."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import yaml

from bayplan import presets
from bench import population
from bench.population import Population
from policies.model.loading import load
from policies.model.text import read
from sources.signals import queries

Labels = Mapping[str, str]
# Draws the value of one series: the query's name, its series' number, a generator.
Draw = Callable[[str, int, random.Random], float]
_PRESET: Final = "kubelet-psi"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Whom there are series of: labels by node, pod and workload, and of the pods with an objective."""

    nodes: Sequence[Labels]
    workloads: Sequence[Labels] = ()
    pods: Sequence[Labels] = ()
    served: Sequence[Labels] = ()


def measured(sizes: Population) -> Measured:
    """Return the series that every node and every workload of a population has."""
    return Measured(
        nodes=[{"instance": f"{population.address(number)}:9100"} for number in range(sizes.nodes)],
        workloads=[
            {"namespace": population.namespace(number), "workload": population.workload_name(number)}
            for number in range(sizes.workloads)
        ],
    )


def policy(prometheus: str, **changes: Any) -> str:  # noqa: ANN401  # sections of the policy
    """Return the kubelet-PSI preset with this Prometheus; `changes` go over the fields of its sections."""
    text: dict[str, Any] = read(presets.text(_PRESET), file=_PRESET).data
    text["signals"]["prometheus"]["url"] = prometheus
    for section, change in changes.items():
        text[section] = text[section] | change if isinstance(change, dict) else change
    return yaml.safe_dump(text, sort_keys=False)


def plan(policy_text: str, measured: Measured, draw: Draw, *, seed: int) -> dict[str, Any]:
    """Return what each query of a policy gives, as the stand-in wants it."""
    chance = random.Random(seed)  # noqa: S311  # a repeatable load, no secret
    series = {
        "node": measured.nodes,
        "workload": measured.workloads,
        "pod": measured.pods,
        "served": measured.served,
    }
    answers: dict[str, Any] = {}
    for name, query in queries.all_queries(load(policy_text, file="bench").policy).items():
        of = _measured_by(name)
        values = [draw(name, number, chance) for number in range(len(series[of]))]
        answers[query] = {"of": of, "values": values}
    return {"series": {of: [*map(dict, labels)] for of, labels in series.items()}, "queries": answers}


def _measured_by(name: str) -> str:
    field = name.rpartition(".")[2]
    if name.startswith("slo/"):
        return "served"
    if field.startswith("pod"):
        return "pod"
    return "workload" if field == "workload" else "node"


def ordinary(name: str, _number: int, chance: random.Random) -> float:
    """Draw a value of a busy cluster: one node in twelve is above the filter's threshold."""
    if name.endswith("age"):
        return chance.uniform(1, 20)
    if name == "cpu.node":
        return chance.uniform(0.1, 0.97)
    if name == "cpu.workload":
        return chance.uniform(3, 12)
    return chance.uniform(0, 0.3)
