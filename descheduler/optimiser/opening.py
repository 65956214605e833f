"""Which solver a policy wants, opened and guarded; the one place that knows all of them.

Solvers are imported when they are chosen: OR-Tools takes half a second and 200 MB.
"""

from pathlib import Path

from descheduler.optimiser.guarding import GuardedSolver
from descheduler.optimiser.solution import LARGEST, Options, Solver
from policies.model.plan import Plan


def open_solver(plan: Plan, *, resident: bool, folder: Path | None = None) -> GuardedSolver:
    """Return the policy's solver; every answer of it is checked, rejected ones are kept in `folder`.

    `resident` solves in a worker process, which can be cancelled at once and may crash alone. A command is a process
    of its own anyway.
    """
    return GuardedSolver(_solver(plan, resident=resident), folder=folder)


def options_of(plan: Plan, *, seed: int = 1, workers: int = 2, deterministic: float | None = None) -> Options:
    """Return what the policy allows a solve."""
    return Options(
        time_limit=plan.time_limit,
        order=plan.order,
        evict_for_count=plan.evict_for_count,
        price=None if plan.price == "any" else min(plan.price, LARGEST),
        seed=seed,
        workers=workers,
        deterministic=deterministic,
    )


def _solver(plan: Plan, *, resident: bool) -> Solver:
    if plan.solver == "command":
        from descheduler.optimiser.external import CommandSolver  # noqa: PLC0415 - only where it is chosen

        return CommandSolver(plan.command)
    if resident:
        from descheduler.optimiser.resident import ResidentSolver  # noqa: PLC0415 - only where it is chosen

        return ResidentSolver(plan.solver)
    return in_process(plan.solver)


def in_process(name: str) -> Solver:
    """Return one of our own solvers by its name in the policy, unguarded, in this process."""
    if name == "released":
        from descheduler.optimiser.baselines.released import ReleasedSolver  # noqa: PLC0415 - it imports OR-Tools

        return ReleasedSolver()
    if name == "repaired":
        from descheduler.optimiser.baselines.repaired import RepairedSolver  # noqa: PLC0415 - it imports OR-Tools

        return RepairedSolver()
    if name == "bayplan":
        from descheduler.optimiser.solving import BayplanSolver  # noqa: PLC0415 - it imports OR-Tools

        return BayplanSolver()
    raise ValueError(f"seen solver {name!r}; allowed are bayplan, released and repaired")
