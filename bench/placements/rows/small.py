"""Rows of 16 and 32 nodes: how much of what is pending is placed in a second and in five, beside every baseline."""

from collections.abc import Iterator, Sequence
from typing import Final

from bench.placements import cases, traces
from bench.placements.lab import DEFAULT, NOTHING, PREEMPTING, RELEASED, REPAIRED, Lab, Setup
from bench.placements.running import Instance, Outcome
from bench.results import Result
from descheduler.optimiser import vectors

ONE_SECOND: Final = Setup(seconds=1.0)
FIVE_SECONDS: Final = Setup(seconds=5.0)
ANY_PRICE: Final = Setup(seconds=5.0, price=None)
LONG: Final = Setup(seconds=30.0, price=None)
_RULES: Final = (NOTHING, DEFAULT, PREEMPTING)
_USEFUL_SHARE: Final = 0.8
_NEARLY_ALL: Final = 0.95
_PER_POD: Final = 2.0
_OF_B2: Final = 0.4
_OF_B3: Final = 0.6
_PROVEN_SHARE: Final = 0.3
_PROVEN_WITHIN: Final = 3.0


def measure(lab: Lab) -> Iterator[Result]:
    """Yield the rows of 32 nodes, then those of 16."""
    cells = {name: [*lab.instances(name, cases.SEEDS[: lab.seeds()])] for name in ("32x1", "32x4", "16x1", "16x4")}
    large, small = [*cells["32x1"], *cells["32x4"]], [*cells["16x1"], *cells["16x4"]]
    for instance in (*large, *small):
        for setup in (*_RULES, FIVE_SECONDS, ANY_PRICE):
            lab.answer(instance, setup)
    yield _within_a_second(lab, large)
    yield _within_five(lab, large)
    yield _at_the_count_of(lab, cells["32x1"], RELEASED, most=_OF_B2)
    yield _at_the_count_of(lab, cells["32x1"], REPAIRED, most=_OF_B3)
    yield _fewest(lab, _compared(lab, large))
    yield _sixteen(lab, small)
    yield _proven(lab, small)
    yield _published(lab)


def _within_a_second(lab: Lab, instances: Sequence[Instance]) -> Result:
    ours, theirs = _answers(lab, instances, ONE_SECOND), _answers(lab, _compared(lab, instances), RELEASED)
    useful = sum(outcome.useful for outcome in ours)
    gained, disruptions = _sums(ours)
    share, each = gained / _pending(instances), disruptions / max(1, gained)
    return Result(
        row="small",
        what="32 nodes, 1 s, price 8",
        target="a usable plan always; ≥ 80 % of pending; ≤ 2 disruptions a pod",
        seen=f"{useful} of {len(ours)}; {gained} of {_pending(instances)} ({share:.0%}); {each:.2f}",
        met=useful == len(ours) and share >= _USEFUL_SHARE and each <= _PER_POD,
        remarks=f"{disruptions} disruptions; B2 useful in {sum(one.useful for one in theirs)} of {len(theirs)}; "
        + _beside(lab, instances),
    )


def _within_five(lab: Lab, instances: Sequence[Instance]) -> Result:
    compared = _compared(lab, instances)
    ours, theirs = _answers(lab, instances, ANY_PRICE), _answers(lab, compared, RELEASED)
    gained, disruptions = _sums(ours)
    behind = sum(not _no_fewer(lab.answer(one, ANY_PRICE), other) for one, other in zip(compared, theirs, strict=True))
    share = gained / _pending(instances)
    priced = _sums(_answers(lab, instances, FIVE_SECONDS))
    return Result(
        row="small",
        what="32 nodes, 5 s, no price",
        target="≥ 95 % of pending, ≥ B2 at 10 s in every instance",
        seen=f"{gained} of {_pending(instances)} ({share:.0%}); {len(theirs) - behind} of {len(theirs)}",
        ratio=f"{_sums(_answers(lab, compared, ANY_PRICE))[0] / max(1, _sums(theirs)[0]):.2f}",
        met=share >= _NEARLY_ALL and not behind,
        remarks=f"{disruptions} disruptions; with price 8 {priced[0]} pods for {priced[1]}",
    )


def _at_the_count_of(lab: Lab, instances: Sequence[Instance], setup: Setup, *, most: float) -> Result:
    """Compare disruptions where ours places as many as the baseline did, whatever it placed later; on every seed."""
    pairs = [(lab.answer(one, ANY_PRICE), lab.answer(one, setup)) for one in instances]
    pairs += [(lab.answer(one, FIVE_SECONDS), lab.answer(one, setup)) for one in instances]
    ours: dict[int, int | None] = {}
    for mine, theirs in pairs:
        point, seed = mine.at_count(max(theirs.gained, 0)), mine.instance.seed
        needed = 0 if theirs.gained <= 0 else None if point is None else point.disruptions
        known = ours.get(seed)
        ours[seed] = needed if known is None else known if needed is None else min(known, needed)
    gained, disruptions = _sums(_answers(lab, instances, setup))
    reached = [each for each in ours.values() if each is not None]
    ratio = sum(reached) / max(1, disruptions)
    return Result(
        row="small",
        what=f"32 nodes, 1 tier, as many pods as {setup}",
        target=f"≤ {most:.0%} of its disruptions",
        seen=f"{sum(reached)} for {gained} pods, it {disruptions}",
        ratio=f"{ratio:.2f}",
        met=len(reached) == len(ours) and ratio <= most,
        remarks=f"its count reached in {len(reached)} of {len(ours)}, of the plans on the way in 5 s",
    )


def _fewest(lab: Lab, instances: Sequence[Instance]) -> Result:
    """Tell what is possible at all, where there is time to prove it."""
    ours = _answers(lab, instances, LONG)
    gained, disruptions = _sums(ours)
    return Result(
        row="small",
        what=f"32 nodes, {LONG.seconds:g} s, no price",
        target="none: the fewest disruptions that are possible",
        seen=f"{gained} of {_pending(instances)} pods for {disruptions / max(1, gained):.1f} each; "
        f"proven in {sum(one.proven for one in ours)} of {len(ours)}",
        met=not any(one.violations for one in ours),
        remarks=", ".join(f"{one.instance}: +{one.gained} / {one.disruptions}{' proven' * one.proven}" for one in ours),
    )


def _sixteen(lab: Lab, instances: Sequence[Instance]) -> Result:
    instances = _compared(lab, instances)
    theirs = _answers(lab, instances, RELEASED)
    ours = [
        min((lab.answer(one, setup) for setup in (FIVE_SECONDS, ANY_PRICE)), key=_fewest_unplaced) for one in instances
    ]
    behind = sum(not _no_fewer(one, other) for one, other in zip(ours, theirs, strict=True))
    comparable = [(one.at_count(other.gained), other) for one, other in zip(ours, theirs, strict=True) if other.useful]
    needed = sum(point.disruptions for point, _ in comparable if point is not None)
    disruptions = sum(other.disruptions for _, other in comparable)
    return Result(
        row="small",
        what="16 nodes, 5 s",
        target="≥ B2 at 10 s with at most its disruptions",
        seen=f"{len(ours) - behind} of {len(ours)}; {needed} for its {_sums(theirs)[0]} pods, it {disruptions}",
        ratio=f"{needed / max(1, disruptions):.2f}",
        met=not behind and needed <= disruptions,
        remarks=f"in the end {_sums(ours)[0]} of {_pending(instances)} pods; " + _beside(lab, instances),
    )


def _proven(lab: Lab, instances: Sequence[Instance]) -> Result:
    ours = _answers(lab, instances, ANY_PRICE)
    proven = sum(one.proven and lab.seconds(one.seconds) <= _PROVEN_WITHIN for one in ours)
    return Result(
        row="small",
        what="16 nodes, minimum proven within 3 s",
        target="≥ 30 %",
        seen=f"{proven} of {len(ours)}",
        met=proven >= _PROVEN_SHARE * len(ours),
        remarks=f"within 5 s {sum(one.proven for one in ours)}; B2 in 10 s "
        f"{_proofs(lab, instances, RELEASED)}, B3 {_proofs(lab, instances, REPAIRED)}",
    )


def _published(lab: Lab) -> Result:
    instances = [*lab.instances("trace-32x4", range(lab.compared(len(traces.SEEDS))))]
    ours, theirs = _answers(lab, instances, FIVE_SECONDS), _answers(lab, instances, RELEASED)
    gained, disruptions = _sums(ours)
    behind = sum(not _no_fewer(one, other) for one, other in zip(ours, theirs, strict=True))
    return Result(
        row="small",
        what="moments of the published traces, 32 nodes, 4 tiers, 5 s, price 8",
        target="≥ B2 at 10 s in every instance",
        seen=f"{len(ours) - behind} of {len(ours)}; {gained} of {_pending(instances)} pods",
        met=not behind,
        remarks=f"{disruptions} disruptions; {_beside(lab, instances)}",
    )


def _compared(lab: Lab, instances: Sequence[Instance]) -> list[Instance]:
    """Return the instances that Algorithm 8 answers, too: the first seeds of each name."""
    seeds = cases.SEEDS[: lab.compared()]
    return [one for one in instances if one.seed in seeds or one.name.startswith("trace")]


def _proofs(lab: Lab, instances: Sequence[Instance], setup: Setup) -> str:
    answers = _answers(lab, _compared(lab, instances), setup)
    return f"{sum(one.proven for one in answers)} of {len(answers)}"


def _answers(lab: Lab, instances: Sequence[Instance], setup: Setup) -> list[Outcome]:
    return [lab.answer(instance, setup) for instance in instances]


def _sums(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """Return pods gained and disruptions; an invalid plan has neither."""
    valid = [outcome for outcome in outcomes if not outcome.violations]
    return sum(outcome.gained for outcome in valid), sum(outcome.disruptions for outcome in valid)


def _pending(instances: Sequence[Instance]) -> int:
    return sum(instance.pending for instance in instances)


def _no_fewer(ours: Outcome, theirs: Outcome) -> bool:
    """Whether ours leaves no more pods unplaced, tier by tier; an invalid plan of theirs counts as none."""
    return bool(theirs.violations) or _fewest_unplaced(ours) <= _fewest_unplaced(theirs)


def _fewest_unplaced(outcome: Outcome) -> tuple[int, ...]:
    return vectors.tally(outcome.instance.problem, outcome.assignment).unplaced


def _beside(lab: Lab, instances: Sequence[Instance]) -> str:
    """Return pods and disruptions of every baseline, and ours, where all of them were asked."""
    compared, told = _compared(lab, instances), []
    for setup in (*_RULES[1:], RELEASED, REPAIRED, FIVE_SECONDS):
        gained, disruptions = _sums(_answers(lab, compared, setup))
        told.append(f"{setup} {gained} / {disruptions}")
    return f"in {len(compared)} of {_pending(compared)} pods: {', '.join(told)}"
