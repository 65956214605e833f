"""What a price on disruptions buys, and what comes of a fixed amount of work, whatever machine does it."""

from collections.abc import Iterator
from typing import Final

from bench.placements import cases
from bench.placements.lab import Lab, Setup
from bench.placements.running import Outcome
from bench.results import Result

PRICES: Final = (3, 6, 12, None)
CURVES: Final = (("32x4", 5), ("100x4", 2))
_UNITS: Final = 4.0
_TWICE: Final = 2


def curves(lab: Lab) -> list[tuple[Setup, Outcome]]:
    """Return the answers for each price, 5 s each."""
    found = []
    for name, seeds in CURVES:
        for instance in lab.instances(name, cases.SEEDS[: min(lab.seeds(seeds), lab.compared() + 1)]):
            for price in PRICES:
                setup = Setup(seconds=5.0, price=price)
                found.append((setup, lab.answer(instance, setup)))
    return found


def measure(lab: Lab) -> Iterator[Result]:
    """Yield what a fixed amount of work gives, and whether it gives it twice."""
    setup = Setup(deterministic=_UNITS, seconds=60.0)
    seeds = cases.SEEDS[: lab.compared()]
    instances = [one for name in ("32x1", "32x4") for one in lab.instances(name, seeds)]
    ours = [lab.answer(one, setup) for one in instances]
    gained, disruptions = sum(one.gained for one in ours), sum(one.disruptions for one in ours)
    pending = sum(one.pending for one in instances)
    again = [Lab(factor=lab.factor).answer(one, setup) for one in instances[:_TWICE]]
    same = sum(one.assignment == other.assignment for one, other in zip(ours, again, strict=False))
    yield Result(
        row="prices",
        what=f"32 nodes, {_UNITS:g} units of CP-SAT's own time, price 8",
        target="bit-identical twice",
        seen=f"{same} of {len(again)}; {gained} of {pending} pods, {disruptions} disruptions",
        met=same == len(again),
        remarks=f"{sum(one.seconds for one in ours) / len(ours):.1f} s each on this machine",
    )
