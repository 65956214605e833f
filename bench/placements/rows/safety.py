"""Row `safety`: hundreds of small clusters with every constraint, where no plan may break or worsen anything."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from bench.placements.lab import Lab, Setup
from bench.placements.running import Outcome, worse_than_nothing
from bench.results import Result
from descheduler.optimiser import vectors

_FIRST: Final = 1_000
SETUP: Final = Setup(seconds=0.2)


def measure(lab: Lab) -> Iterator[Result]:
    """Yield one row over all of them and over every other plan of ours in this run."""
    for instance in lab.instances("mixed", range(_FIRST, _FIRST + lab.mixed)):
        lab.answer(instance, SETUP)
    ours = [(setup, outcome) for (_, _, setup), outcome in lab.outcomes.items() if setup.solver == "bayplan"]
    mixed = [outcome for setup, outcome in ours if setup == SETUP]
    found = Counter(fault for setup, outcome in ours for fault in _faults(lab, setup, outcome))
    kinds = Counter(outcome.proof for outcome in mixed)
    gained, pending = sum(one.gained for one in mixed), sum(one.instance.pending for one in mixed)
    yield Result(
        row="safety",
        what=f"{len(mixed)} clusters with constraints, and {len(ours) - len(mixed)} other plans",
        target="0 invalid, 0 worse than doing nothing, 0 usage drops",
        seen=f"{found['invalid']} invalid, {found['worse']} worse, {found['usage']} drops",
        met=not found.total(),
        remarks=f"{gained} of {pending} pods placed, {sum(one.disruptions for one in mixed)} disruptions; "
        + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())),
    )


def _faults(lab: Lab, setup: Setup, outcome: Outcome) -> Iterator[str]:
    if outcome.violations:
        yield "invalid"
    if worse_than_nothing(outcome, lab.options(setup)):
        yield "worse"
    before, after = outcome.usage
    if after < before and not _more_important_gain(outcome):
        yield "usage"


def _more_important_gain(outcome: Outcome) -> bool:
    """Whether a tier gained before any tier lost a pod."""
    problem = outcome.instance.problem
    before = vectors.tally(problem, tuple(None if item.must_leave else item.node for item in problem.items)).placed
    changed = [now - then for now, then in zip(outcome.placed, before, strict=True) if now != then]
    return bool(changed) and changed[0] > 0
