"""One call of CP-SAT with a share of the time, ended early on request, and the purse such shares are taken from.

And the answer to a problem that CP-SAT could not be given at all.
"""

import threading
import time
from dataclasses import dataclass
from typing import Final

from ortools.sat.python import cp_model

from descheduler.optimiser import concluding
from descheduler.optimiser.baselines.ground import oversized
from descheduler.optimiser.concluding import Findings
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options, Solution, Stop, doing_nothing

_LOOK_EVERY: Final = 0.02  # a cancelled solve must end within 100 ms
SOLVED: Final = frozenset([cp_model.OPTIMAL, cp_model.FEASIBLE])


def invalid(problem: Problem, options: Options, *, solver: str) -> Solution | None:
    """Return doing nothing, with the reasons, for a problem whose amounts CP-SAT cannot add up; None for any other."""
    troubles = oversized(problem)
    if not troubles:
        return None
    findings = Findings(solver=solver, counts={cp_model.MODEL_INVALID.name: 1}, troubles=troubles)
    return concluding.conclude(problem, doing_nothing(problem), options, findings)


@dataclass(slots=True)
class Purse:
    """The time of a run that no phase has a claim on, in the unit of the options; a phase may use all of it."""

    unused: float

    def offer(self, share: float) -> float:
        """Return how long a phase with this share may take."""
        return max(0.0, share + self.unused)

    def pay(self, share: float, used: float) -> None:
        """Take what a phase used beyond its share."""
        self.unused -= max(0.0, used - share)


def total_of(options: Options) -> float:
    """Return the time of a run: seconds, or CP-SAT's own measure."""
    return options.time_limit if options.deterministic is None else options.deterministic


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """What a call came to, and what it `used`; `solver` has the values where the status is one of `SOLVED`."""

    status: cp_model.CpSolverStatus
    solver: cp_model.CpSolver
    used: float

    @property
    def solved(self) -> bool:
        """Whether there is a solution."""
        return self.status in SOLVED

    @property
    def optimal(self) -> bool:
        """Whether it is proven to be the best."""
        return self.status == cp_model.OPTIMAL

    @property
    def value(self) -> int:
        """The objective's value; it counts, so it is whole."""
        return round(self.solver.objective_value)


def run(model: cp_model.CpModel, limit: float, options: Options, stop: Stop, *, symmetry: bool) -> Phase:
    """Solve within this limit, in the unit of the options."""
    solver = cp_model.CpSolver()
    if stop.is_set():
        return Phase(status=cp_model.UNKNOWN, solver=solver, used=0.0)
    parameters = solver.parameters
    parameters.num_workers = options.workers
    parameters.random_seed = options.seed
    if not symmetry:
        parameters.symmetry_level = 0  # otherwise presolve may break a complete hint
    if options.deterministic is None:
        parameters.max_time_in_seconds = limit
    else:
        parameters.interleave_search = True
        parameters.max_deterministic_time = limit
    began = time.monotonic()
    status = _solve(solver, model, stop)
    used = time.monotonic() - began if options.deterministic is None else solver.deterministic_time
    return Phase(status=status, solver=solver, used=used)


def _solve(solver: cp_model.CpSolver, model: cp_model.CpModel, stop: Stop) -> cp_model.CpSolverStatus:
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(solver, stop, done), name="solve-watcher", daemon=True)
    watcher.start()
    try:
        return solver.solve(model)
    finally:
        done.set()
        watcher.join()


def _watch(solver: cp_model.CpSolver, stop: Stop, done: threading.Event) -> None:
    """Ask again and again: a request that comes before the search has begun is lost."""
    while not done.wait(_LOOK_EVERY):
        if stop.is_set():
            solver.stop_search()
