"""Tables of outcomes as Markdown: one line an instance, and the curve of placed pods against disruptions."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from bench.placements.lab import Setup
from bench.placements.running import Outcome

_HEAD = (
    "instance",
    "solver",
    "pending",
    "gained",
    "placed by tier",
    "moved by tier",
    "evicted by tier",
    "usage %",
    "bound",
    "status",
    "first, best plan (s)",
)


def by_instance(outcomes: Iterable[tuple[Setup, Outcome]]) -> str:
    """Return a line for each answer."""
    return table([list(_HEAD), *(_line(setup, outcome) for setup, outcome in outcomes)])


def curve(outcomes: Sequence[tuple[Setup, Outcome]]) -> str:
    """Return what each price bought: pods gained and disruptions in sum over the seeds of a name."""
    prices = sorted({setup.price for setup, _ in outcomes}, key=lambda price: (price is None, price or 0))
    sums: dict[str, dict[int | None, list[int]]] = defaultdict(lambda: {price: [0, 0] for price in prices})
    pending: dict[str, dict[int, int]] = defaultdict(dict)
    for setup, outcome in outcomes:
        instance = outcome.instance
        pending[instance.name][instance.seed] = instance.pending
        sums[instance.name][setup.price][0] += outcome.gained
        sums[instance.name][setup.price][1] += outcome.disruptions
    lines = [["instances", "pending", *("no price" if price is None else f"price {price}" for price in prices)]]
    for name, by_price in sums.items():
        cells = [f"{gained} / {disruptions}" for gained, disruptions in by_price.values()]
        lines.append([f"`{name}`, {len(pending[name])} seeds", str(sum(pending[name].values())), *cells])
    return table(lines)


def table(lines: Sequence[Sequence[str]]) -> str:
    """Return rows of cells, the first one the head."""
    ruled = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "".join(f"| {' | '.join(line)} |\n" for line in ruled)


def _line(setup: Setup, outcome: Outcome) -> list[str]:
    before, after = outcome.usage
    plans = outcome.plans
    times = f"{plans[0].at:.2f}, {plans[-1].at:.2f}" if plans else "-"
    return [
        f"`{outcome.instance.name}` {outcome.instance.seed}",
        str(setup),
        str(outcome.instance.pending),
        str(outcome.gained),
        _tiers(outcome.placed),
        _tiers(outcome.moved),
        _tiers(outcome.evicted),
        f"{float(before) * 100:.2f} → {float(after) * 100:.2f}",
        _tiers(outcome.bounds) if outcome.bounds else "-",
        outcome.proof if not outcome.violations else f"**invalid**: {outcome.violations[0]}",
        times,
    ]


def _tiers(counts: Sequence[int]) -> str:
    return " ".join(map(str, counts))
