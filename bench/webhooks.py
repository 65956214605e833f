"""Bodies of webhook calls as kube-scheduler sends them; sends nothing."""

import random
from dataclasses import dataclass
from typing import Any, Final

from bench import population
from bench.population import Population

# Far beyond the numbers of the pods in the population.
_ASKING: Final = 0x0F00_0000


def for_nodes(sizes: Population, *, names: int, count: int, seed: int) -> list[dict[str, Any]]:
    """Return filter and prioritize bodies for different pods, each with so many node names in an order of its own."""
    chance = random.Random(seed)  # noqa: S311  # a repeatable load, no secret
    everybody = [population.node_name(number) for number in range(sizes.nodes)]
    return [
        {"Pod": _asking(number, sizes), "Nodes": None, "NodeNames": chance.sample(everybody, names)}
        for number in range(count)
    ]


@dataclass(frozen=True, slots=True)
class Offer:
    """So many candidate nodes, each with so many of its pods as victims."""

    candidates: int
    victims: int


def for_preemption(sizes: Population, offer: Offer, *, count: int, seed: int) -> list[dict[str, Any]]:
    """Return preempt bodies for different pods.

    The candidates all cost the same, so that each node has to be judged by what it would gain.
    """
    chance = random.Random(seed)  # noqa: S311  # a repeatable load, no secret
    return [
        {
            "Pod": _asking(number, sizes),
            "NodeNameToVictims": None,
            "NodeNameToMetaVictims": {
                population.node_name(node): {
                    "Pods": [
                        {"UID": population.uid(node + turn * sizes.nodes)} for turn in range(1, offer.victims + 1)
                    ],
                    "NumPDBViolations": 0,
                }
                for node in chance.sample(range(sizes.nodes), offer.candidates)
            },
        }
        for number in range(count)
    ]


def _asking(number: int, sizes: Population) -> dict[str, Any]:
    return population.pending_pod(_ASKING + number, sizes, now=0.0)
