"""Lets no answer of a solver through unchecked: a rejected one is counted, saved, and becomes doing nothing.

It judges nothing itself; that is `checking`'s.
"""

import hashlib
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from descheduler.optimiser import concluding, documents, soundness
from descheduler.optimiser.checking import Violation, check
from descheduler.optimiser.concluding import Findings
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options, Proof, Solution, Solver, Stop, doing_nothing

_LOG = logging.getLogger(__name__)
_MOST_SAVED: Final = 20  # arbitrary: a bug that repeats is understood from the first ones
_MOST_TOLD: Final = 20  # a plan that is wrong everywhere is told by its first faults
_PROVEN: Final = frozenset([Proof.IMPROVED_PROVEN, Proof.NOTHING_BETTER])


class GuardedSolver:
    """A solver behind the checker. `folder` keeps what was rejected and what a solver failed on, None: nowhere."""

    def __init__(self, solver: Solver, *, folder: Path | None = None) -> None:
        self._solver = solver
        self._folder = folder

    @property
    def name(self) -> str:
        """Return the name of the solver behind it."""
        return self._solver.name

    def solve(self, problem: Problem, options: Options, stop: Stop) -> Solution:
        """Return the solver's plan where it passes every rule, doing nothing otherwise."""
        unsound = (*soundness.faults(problem), *soundness.option_faults(options))
        if unsound:
            _LOG.error("the problem cannot be solved: %s", "; ".join(unsound[:_MOST_TOLD]))
            return _unsound(problem, self.name, unsound)
        solution = self._solver.solve(problem, options, stop)
        began = time.monotonic()
        violations = check(problem, solution.assignment, options)
        took = time.monotonic() - began
        if violations:
            return self._reject(problem, options, solution, violations)
        if _failed(solution.counts):
            saved = self._save(self._document(problem, options, solution, solution.troubles), "failed")
            _LOG.error("solver %s failed on a problem (%s): %s", self.name, saved or "not saved", dict(solution.counts))
        timings = {**solution.timings, "check": took}
        return _in_our_words(problem, options, replace(solution, timings=timings))

    def close(self) -> None:
        """End what the solver keeps running, if anything."""
        close = getattr(self._solver, "close", None)
        if close is not None:
            close()

    def _reject(
        self, problem: Problem, options: Options, solution: Solution, violations: tuple[Violation, ...]
    ) -> Solution:
        told = tuple(str(violation) for violation in violations[:_MOST_TOLD])
        saved = self._save(self._document(problem, options, solution, told), "rejected")
        _LOG.error("a plan of solver %s was rejected (%s): %s", self.name, saved or "not saved", "; ".join(told))
        findings = Findings(
            solver=solution.solver,
            timings=solution.timings,
            counts=_added(solution.counts, "rejected"),
            troubles=(*solution.troubles, *told),
        )
        return concluding.conclude(problem, doing_nothing(problem), options, findings)

    def _document(
        self, problem: Problem, options: Options, solution: Solution, told: tuple[str, ...]
    ) -> documents.Rejected:
        return documents.Rejected(
            solver=self.name,
            problem=problem,
            options=options,
            assignment=tuple(map(_saveable, solution.assignment)),
            violations=told,
        )

    def _save(self, document: documents.Rejected, what: str) -> Path | None:
        if self._folder is None:
            return None
        content = documents.encode(document)
        path = self._folder / f"{what}-{hashlib.sha256(content).hexdigest()[:16]}.json"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if len(list(self._folder.glob(f"{what}-*.json"))) >= _MOST_SAVED:
                return None
            path.write_bytes(content)
        except OSError as failed:
            _LOG.warning("a problem could not be saved for replay: %s", failed)
            return None
        return path


def _failed(counts: Mapping[str, int]) -> bool:
    """Whether something happened that only a bug explains: a worker that died, a model that should have been sound."""
    return any(name == "crashed" or name.startswith("failed-") for name in counts)


def _unsound(problem: Problem, name: str, unsound: tuple[str, ...]) -> Solution:
    # No vector: a tier that does not exist cannot be counted.
    return Solution(
        assignment=doing_nothing(problem),
        proof=Proof.NOTHING_FOUND,
        solver=name,
        counts={"unsound": 1},
        troubles=unsound[:_MOST_TOLD],
    )


def _in_our_words(problem: Problem, options: Options, solution: Solution) -> Solution:
    """Return the solution with vector, baseline and proof as the assignment deserves, whatever the solver wrote."""
    findings = Findings(solver=solution.solver, proven=solution.proof in _PROVEN)
    deserved = concluding.conclude(problem, solution.assignment, options, findings)
    return replace(
        solution,
        assignment=deserved.assignment,
        proof=deserved.proof,
        vector=deserved.vector,
        baseline=deserved.baseline,
    )


def _saveable(node: object) -> int | str | None:
    """Return a place as it can be written: what is no number at all is kept as the text it shows as."""
    return node if node is None or type(node) is int else repr(node)


def _added(counts: Mapping[str, int], name: str) -> dict[str, int]:
    return {**counts, name: counts.get(name, 0) + 1}
