"""A solver that answers what it is told to, and remembers what it was asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options, Proof, Solution, Stop


@dataclass(slots=True)
class ScriptedSolver:
    """Answers any problem with one assignment and one proof."""

    assignment: tuple[Any, ...]
    proof: Proof = Proof.IMPROVED
    counts: Mapping[str, int] = field(default_factory=dict)
    name: str = "scripted"
    asked: list[Problem] = field(default_factory=list)
    closed: bool = False

    def solve(self, problem: Problem, options: Options, stop: Stop) -> Solution:  # noqa: ARG002  # a Solver's signature
        """Return the scripted answer."""
        self.asked.append(problem)
        return Solution(assignment=self.assignment, proof=self.proof, solver=self.name, counts=self.counts)

    def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True
