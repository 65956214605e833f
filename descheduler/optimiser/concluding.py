"""Turns an assignment into a solution: vector, baseline, proof; finds no assignment itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from descheduler.optimiser import vectors
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options, Point, Proof, Solution, doing_nothing

_PROOFS: Final = {
    (True, True): Proof.IMPROVED_PROVEN,
    (True, False): Proof.IMPROVED,
    (False, True): Proof.NOTHING_BETTER,
    (False, False): Proof.NOTHING_FOUND,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a solver says of its work, beside the assignment."""

    solver: str
    proven: bool = False
    path: tuple[Point, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    troubles: tuple[str, ...] = ()


def conclude(problem: Problem, assignment: Assignment, options: Options, findings: Findings) -> Solution:
    """Return the solution; an assignment that is not better than doing nothing becomes doing nothing.

    Whoever proves a worse one to be the best has proven something else: that is no proof here.
    """
    nothing = doing_nothing(problem)
    baseline = vectors.vector_of(problem, nothing, options)
    reached = vectors.vector_of(problem, assignment, options)
    improved = vectors.smaller(reached, baseline)
    proven = findings.proven and not vectors.smaller(baseline, reached)
    return Solution(
        assignment=assignment if improved else nothing,
        proof=_PROOFS[improved, proven],
        solver=findings.solver,
        vector=reached if improved else baseline,
        baseline=baseline,
        path=findings.path,
        timings=findings.timings,
        counts=findings.counts,
        troubles=findings.troubles,
    )


def point(problem: Problem, assignment: Assignment, *, at: float) -> Point:
    """Return this plan as a point on the way to the best one."""
    return Point(
        at=at,
        placed=vectors.tally(problem, assignment).placed,
        disruptions=vectors.disruptions(problem, assignment),
    )
