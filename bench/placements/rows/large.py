"""Rows of 100 to 5,000 nodes: how soon there is a plan, and how near to everybody it comes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bench.placements import cases
from bench.placements.lab import DEFAULT, PREEMPTING, RELEASED, REPAIRED, Lab, Scale, Setup
from bench.placements.running import Outcome
from bench.results import Result

_PRICE: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """`plan` s until a first plan, `share` of all pods placed after `seconds`; `per_pod` disruptions, None: no limit.

    None of the first two: no target, figures only. `apart`: workloads have constraints. `beside` are the baselines that
    can be built at that size.
    """

    nodes: int
    seconds: float
    seeds: int
    plan: float | None = None
    share: float | None = None
    per_pod: float | None = None
    apart: bool = False
    beside: tuple[Setup, ...] = (DEFAULT,)

    @property
    def case(self) -> str:
        """Return the name of its instances."""
        return f"{'apart-' if self.apart else ''}{self.nodes}x4"

    @property
    def what(self) -> str:
        """Return what is measured."""
        constraints = ", anti-affinity and budget per workload" if self.apart else ""
        return f"{self.nodes:,} nodes, 4 tiers, price {_PRICE}{constraints}"

    @property
    def target(self) -> str:
        """Return it in words."""
        parts = [] if self.plan is None else [f"plan ≤ {self.plan:g} s"]
        parts += [] if self.share is None else [f"≥ {self.share * 100:g} % of all pods in {self.seconds:g} s"]
        parts += [] if self.per_pod is None else [f"≤ {self.per_pod:g} disruptions a pod"]
        return "; ".join(parts) or "none"


ROWS: Final = (
    _Row(nodes=100, seconds=5, seeds=5, plan=0.2, share=0.995, beside=(DEFAULT, PREEMPTING, RELEASED, REPAIRED)),
    _Row(nodes=500, seconds=10, seeds=3),
    _Row(nodes=1_000, seconds=10, seeds=3, plan=0.5, share=0.9985, per_pod=2),
    _Row(nodes=1_500, seconds=10, seeds=2, plan=0.5, share=0.9985, apart=True),
    _Row(nodes=5_000, seconds=10, seeds=1, plan=2, share=0.9995),
)
_QUICK_NODES: Final = 1_000


def measure(lab: Lab) -> Iterator[Result]:
    """Yield a row a size."""
    for row in ROWS:
        if lab.scale is not Scale.QUICK or row.nodes <= _QUICK_NODES:
            yield _size(lab, row)


def _size(lab: Lab, row: _Row) -> Result:
    seeds = cases.SEEDS[: min(lab.seeds(row.seeds), lab.compared() + 1)]
    instances = [*lab.instances(row.case, seeds)]
    setup = Setup(seconds=row.seconds, price=_PRICE)
    ours = [lab.answer(one, setup) for one in instances]
    first = [_first(lab, one) for one in ours]
    shares = [sum(one.placed) / len(one.instance.problem.items) for one in ours]
    each = sum(one.disruptions for one in ours) / max(1, sum(one.gained for one in ours))
    beside = [(one, lab.answer(instances[0], one)) for one in row.beside]
    sizes = ", ".join(f"{len(one.problem.items):,} ({one.pending})" for one in instances)
    return Result(
        row="large",
        what=row.what,
        target=row.target,
        seen=f"plan in {_most(first)} s; {_percent(shares)}; {each:.2f} a pod",
        met=_met(row, ours, first, shares=shares, each=each),
        remarks=f"pods (pending) {sizes}; {_each(ours)}; seed {seeds[0]}: "
        + "; ".join(f"{one} {_each([found])}" for one, found in beside),
    )


def _met(
    row: _Row, ours: Sequence[Outcome], first: Sequence[float | None], *, shares: list[float], each: float
) -> bool:
    soon = row.plan is None or all(at is not None and at <= row.plan for at in first)
    enough = row.share is None or min(shares) >= row.share
    cheap = row.per_pod is None or each <= row.per_pod
    return soon and enough and cheap and not any(one.violations for one in ours)


def _first(lab: Lab, outcome: Outcome) -> float | None:
    """Return when (reference seconds) the first plan was there."""
    return lab.seconds(outcome.plans[0].at) if outcome.plans else None


def _most(first: Sequence[float | None]) -> str:
    known = [at for at in first if at is not None]
    return f"{max(known):.2f}" if len(known) == len(first) else f"{len(known)} of {len(first)} within the limit, no"


def _percent(shares: Sequence[float]) -> str:
    return ", ".join(f"{share:.2%}" for share in shares)


def _each(outcomes: Sequence[Outcome]) -> str:
    return ", ".join(f"+{one.gained} / {one.disruptions}{_failed(one)}" for one in outcomes)


def _failed(outcome: Outcome) -> str:
    return "" if outcome.useful else f" ({outcome.violations[0] if outcome.violations else outcome.proof})"
