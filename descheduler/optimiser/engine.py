"""One CP-SAT solve: parameters, cancelling, and what each of the five statuses means; builds no model."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ortools.sat.python import cp_model

from descheduler.optimiser.model.draft import Values
from descheduler.optimiser.solution import Stop

_POLL: Final = 0.01  # seconds between two looks at the stop


class Status(StrEnum):
    """How a solve ended."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"
    MODEL_INVALID = "model-invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A status, the variables' values where there is a solution, the objective's proven bound, and the effort."""

    status: Status
    values: Values | None
    bound: float
    effort: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How a solve is to search. `limit` is in seconds, or in CP-SAT's own deterministic ones."""

    limit: float
    workers: int
    seed: int
    deterministic: bool
    first: bool = False


class Engine:
    """Solves one model at a time; another thread ends a solve once the stop is set."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._solver: cp_model.CpSolver | None = None
        self._over = threading.Event()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look at the stop as long as this is open."""
        watcher = threading.Thread(target=self._watch, name="optimiser-stop", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            self._over.set()
            watcher.join()

    def solve(self, model: cp_model.CpModel, effort: Effort, found: Callable[[Values], None] | None = None) -> Outcome:
        """Search until the model is solved, the limit is reached, or the stop is set; tell what is found on the way."""
        solver = cp_model.CpSolver()
        self._solver = solver
        _configure(solver, effort)
        if self._stop.is_set():
            return Outcome(status=Status.UNKNOWN, values=None, bound=float("-inf"), effort=0.0)
        status = _STATUSES[solver.solve(model, None if found is None else _Telling(found))]
        self._solver = None
        response = solver.response_proto
        solved = status in {Status.OPTIMAL, Status.FEASIBLE}
        return Outcome(
            status=status,
            values=list(response.solution) if solved else None,
            bound=response.best_objective_bound,
            effort=response.deterministic_time if effort.deterministic else response.wall_time,
        )

    def _watch(self) -> None:
        while not self._over.wait(_POLL):
            solver = self._solver
            if solver is not None and self._stop.is_set():
                solver.stop_search()  # again and again: it is lost on a solve that has not begun


class _Telling(cp_model.CpSolverSolutionCallback):
    """Hands on each solution as soon as there is one."""

    def __init__(self, found: Callable[[Values], None]) -> None:
        super().__init__()
        self._found = found

    def on_solution_callback(self) -> None:
        self._found(list(self.response_proto.solution))


_STATUSES: Final = {
    cp_model.OPTIMAL: Status.OPTIMAL,
    cp_model.FEASIBLE: Status.FEASIBLE,
    cp_model.INFEASIBLE: Status.INFEASIBLE,
    cp_model.UNKNOWN: Status.UNKNOWN,
    cp_model.MODEL_INVALID: Status.MODEL_INVALID,
}


def _configure(solver: cp_model.CpSolver, effort: Effort) -> None:
    parameters = solver.parameters
    parameters.num_workers = effort.workers
    parameters.random_seed = effort.seed
    # Symmetry breaking may make a complete hint infeasible (docs/design/optimiser.md, section 6).
    parameters.symmetry_level = 0
    parameters.stop_after_first_solution = effort.first
    if effort.workers == 1:
        parameters.linearization_level = 2  # alone on a dozen nodes it found plans up to ten times as fast
    if effort.deterministic:
        # Its way to search deterministically with several workers aborts the process now and then (9.15: a worker
        # that proves infeasibility while it loads). One worker alone is deterministic too.
        parameters.num_workers = 1
        parameters.max_deterministic_time = effort.limit
    else:
        parameters.max_time_in_seconds = effort.limit
