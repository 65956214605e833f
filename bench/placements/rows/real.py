"""Rows of real clusters: ByteDance's overfilled, openb's GPUs packed."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from bench.placements import cases
from bench.placements.bytedance import LARGE, SMALL
from bench.placements.devices import WHOLE, packs
from bench.placements.lab import DEFAULT, RELEASED, REPAIRED, Lab, Scale, Setup
from bench.placements.openb import GPU
from bench.placements.running import Instance, Outcome
from bench.results import Result
from descheduler.optimiser import vectors
from descheduler.optimiser.solution import doing_nothing

_PROVEN: Final = Setup(seconds=5.0, price=None)
_TEN: Final = Setup(seconds=10.0, price=None)
_SMALL_SEEDS: Final = (0, 1, 2)
_MINIMUM: Final = {0: 34, 1: 22, 2: 33}
_LARGE_SEEDS: Final = (0, 1, 2, 3, 4)
_LARGE_RUNS: Final = {Scale.FULL: 5, Scale.SHORT: 2, Scale.QUICK: 1}
_MOST_MOVES: Final = {98: 20, 99: 40}
_OPENB: Final = (("openb-whole-120", "whole GPUs, 20 % too many"), ("openb-parts-95", "parts of GPUs, 95 %"))


def measure(lab: Lab) -> Iterator[Result]:
    """Yield the rows of every cluster whose data is here."""
    yield from _small(lab)
    for demand in (98, 99):
        yield from _large(lab, demand)
    for name, what in _OPENB:
        yield from _openb(lab, name, what)


def _small(lab: Lab) -> Iterator[Result]:
    instances = [*lab.instances(f"bytedance-{SMALL}-98", _SMALL_SEEDS)]
    ours = [lab.answer(one, _PROVEN) for one in instances]
    theirs = [lab.answer(one, RELEASED) for one in instances[: lab.compared()]]
    repaired = [lab.answer(one, REPAIRED) for one in instances[: lab.compared()]]
    within = [one for one in ours if one.proven and lab.seconds(one.seconds) <= 1.0]
    exact = all(one.disruptions == _MINIMUM[one.instance.seed] for one in ours)
    yield Result(
        row="real",
        what=f"ByteDance, {SMALL} hosts, 98 % demand, 8, 7, 7 pending",
        target="proven optimal within 1 s",
        seen=f"{len(within)} of {len(ours)}, in {', '.join(f'{lab.seconds(one.seconds):.2f}' for one in ours)} s",
        met=len(within) == len(ours) and exact,
        remarks=f"{_each(ours)} (known minimum {', '.join(map(str, _MINIMUM.values()))}); "
        f"B2 {_each(theirs)}; B3 {_each(repaired)}",
    )


def _large(lab: Lab, demand: int) -> Iterator[Result]:
    seeds = _LARGE_SEEDS[: lab.seeds(_LARGE_RUNS[lab.scale])]
    instances = [*lab.instances(f"bytedance-{LARGE}-{demand}", seeds)]
    if not instances:
        return
    ours = [lab.answer(one, _TEN) for one in instances]
    beside = [lab.answer(instances[0], setup) for setup in (DEFAULT, RELEASED, REPAIRED)]
    first = [_all_placed_at(lab, one) for one in ours]
    soon = sum(at is not None and at <= 1.0 for at in first)
    fewest = sum(not _left(one) and one.disruptions <= _MOST_MOVES[demand] for one in ours)
    told = ", ".join("never" if at is None else f"{at:.2f}" for at in first)
    yield Result(
        row="real",
        what=f"ByteDance, {LARGE} hosts, {demand} % demand",
        target=f"all pending placed within 1 s; in 10 s ≤ {_MOST_MOVES[demand]} moves",
        seen=f"{soon} of {len(ours)} within 1 s ({told}); {fewest} of {len(ours)} with few moves",
        met=soon == fewest == len(ours),
        remarks=f"{_each(ours)}; seed {seeds[0]}: "
        + "; ".join(
            f"{one} {_each([found])}" for one, found in zip((DEFAULT, RELEASED, REPAIRED), beside, strict=True)
        ),
    )


def _openb(lab: Lab, name: str, what: str) -> Iterator[Result]:
    for instance in lab.instances(name, cases.SEEDS[:1]):
        ours, default, options = lab.answer(instance, _TEN), lab.answer(instance, DEFAULT), lab.options(_TEN)
        kinds = len({item.requests for item in instance.problem.items})
        yield Result(
            row="real",
            what=f"openb, 1,523 nodes, {what}",
            target="none: valid, no worse than B1",
            seen=f"by tier {_by_tier(instance, ours)} of {_waiting(instance)}, {ours.disruptions} disruptions",
            met=not ours.violations
            and not vectors.better(instance.problem, default.assignment, ours.assignment, options),
            remarks=f"{len(instance.problem.items):,} pods, {kinds} request vectors; bound {ours.bounds}; "
            f"B1 {_by_tier(instance, default)}; {_packing(ours)}",
        )


def _packing(outcome: Outcome) -> str:
    """Say on how many nodes the parts of GPUs, of which the solver saw the sum, fit no devices."""
    problem = outcome.instance.problem
    parts: dict[int, list[int]] = defaultdict(list)
    for item, node in zip(problem.items, outcome.assignment, strict=True):
        if node is not None and item.requests[GPU]:
            parts[node].append(item.requests[GPU])
    found = [packs(here, devices=problem.sites[node].allocatable[GPU] // WHOLE) for node, here in parts.items()]
    unknown = f", {found.count(None)} not decided" if None in found else ""
    return f"devices cannot be packed on {found.count(False)} of {len(found)} nodes{unknown}"


def _by_tier(instance: Instance, outcome: Outcome) -> str:
    """Return how many more pods of each tier are placed than by doing nothing, the most important one first."""
    before = vectors.tally(instance.problem, doing_nothing(instance.problem)).placed
    return " ".join(f"{now - then:+d}" for now, then in zip(outcome.placed, before, strict=True))


def _waiting(instance: Instance) -> str:
    return " ".join(map(str, vectors.tally(instance.problem, doing_nothing(instance.problem)).unplaced))


def _left(outcome: Outcome) -> int:
    return outcome.instance.pending - outcome.gained


def _all_placed_at(lab: Lab, outcome: Outcome) -> float | None:
    """Return when (reference seconds) a plan was there that leaves nobody without a place."""
    everybody = len(outcome.instance.problem.items)
    return next((lab.seconds(point.at) for point in outcome.path if sum(point.placed) == everybody), None)


def _each(outcomes: Sequence[Outcome]) -> str:
    return ", ".join(f"+{one.gained} / {one.disruptions}{'' if one.proven else ' unproven'}" for one in outcomes)
