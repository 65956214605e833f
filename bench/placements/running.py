"""Lets a solver answer an instance and judges what came: counts, checks, times; prints nothing."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Final

from descheduler.optimiser import concluding, vectors
from descheduler.optimiser.baselines.scheduling import least_allocated
from descheduler.optimiser.checking import check
from descheduler.optimiser.concluding import Findings
from descheduler.optimiser.opening import in_process
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options, Point, Solution, Solver, Stop, doing_nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A problem with the name and seed that it is made from again."""

    name: str
    seed: int
    problem: Problem

    @property
    def pending(self) -> int:
        """Return how many pods doing nothing leaves without a place."""
        return sum(place is None for place in doing_nothing(self.problem))

    def __str__(self) -> str:
        return f"{self.name} seed {self.seed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a solver made of an instance. `seconds` are those of the whole call, the model's build included.

    `gained` counts the pods that are placed beyond doing nothing, negative where fewer are. `violations` are the
    checker's; an invalid plan is counted as what it is, and never as a gain.
    """

    instance: Instance
    solver: str
    seconds: float
    assignment: Assignment
    placed: tuple[int, ...]
    moved: tuple[int, ...]
    evicted: tuple[int, ...]
    gained: int
    usage: tuple[Fraction, Fraction]
    violations: tuple[str, ...] = ()
    proof: str = ""
    bounds: tuple[int, ...] = ()
    path: tuple[Point, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def disruptions(self) -> int:
        """Return how many pods are moved or evicted."""
        return sum(self.moved) + sum(self.evicted)

    @property
    def useful(self) -> bool:
        """Whether the plan is valid and places more than doing nothing does."""
        return not self.violations and self.gained > 0

    @property
    def proven(self) -> bool:
        """Whether nothing better is possible."""
        return self.proof in {"improved-proven", "nothing-better"}

    @property
    def plans(self) -> tuple[Point, ...]:
        """Return the improvements on doing nothing on the way, the last one as it was answered."""
        return tuple(point for point in self.path if self.gained_at(point) > 0)

    def gained_at(self, point: Point) -> int:
        """Return how many pods a plan on the way places beyond doing nothing."""
        return sum(point.placed) - len(self.instance.problem.items) + self.instance.pending

    def at_count(self, gained: int) -> Point | None:
        """Return the plan on the way that places so many more pods for the fewest disruptions, None where none does."""
        enough = [point for point in self.path if self.gained_at(point) >= gained]
        return min(enough, key=lambda point: point.disruptions, default=None)


def answer(instance: Instance, solver: Solver, options: Options) -> Outcome:
    """Let a solver answer and judge its plan."""
    began = time.monotonic()
    solution = solver.solve(instance.problem, options, threading.Event())
    return judge(instance, solution, options, seconds=time.monotonic() - began)


def judge(instance: Instance, solution: Solution, options: Options, *, seconds: float) -> Outcome:
    """Judge a plan against the instance, whoever made it."""
    problem, assignment = instance.problem, solution.assignment
    nothing = doing_nothing(problem)
    counted, before = vectors.tally(problem, assignment), vectors.tally(problem, nothing)
    return Outcome(
        instance=instance,
        solver=solution.solver,
        seconds=seconds,
        assignment=assignment,
        placed=counted.placed,
        moved=counted.moved,
        evicted=counted.evicted,
        gained=sum(counted.placed) - sum(before.placed),
        usage=(vectors.usage(problem, nothing), vectors.usage(problem, assignment)),
        violations=tuple(map(str, check(problem, assignment, options))),
        proof=str(solution.proof),
        bounds=solution.bounds,
        path=solution.path,
        timings=solution.timings,
        counts=solution.counts,
    )


def worse_than_nothing(outcome: Outcome, options: Options) -> bool:
    """Whether doing nothing compares better."""
    problem = outcome.instance.problem
    return vectors.better(problem, doing_nothing(problem), outcome.assignment, options)


def solver(name: str) -> Solver:
    """Return one of the solvers in this process: `bayplan`, `released` (B2), `repaired` (B3), or a rule by its name."""
    return _Rule(name, _RULES[name]) if name in _RULES else in_process(name)


@dataclass(frozen=True, slots=True)
class _Rule:
    """What needs no search: doing nothing (B0), or what the default scheduler would do (B1)."""

    name: str
    place: Callable[[Problem], Assignment]

    def solve(self, problem: Problem, options: Options, _stop: Stop) -> Solution:
        """Return where the rule leaves everybody."""
        began = time.monotonic()
        assignment = self.place(problem)
        point = concluding.point(problem, assignment, at=time.monotonic() - began)
        found = concluding.conclude(problem, assignment, options, Findings(solver=self.name, path=(point,)))
        return replace(found, assignment=assignment)


_RULES: Final[Mapping[str, Callable[[Problem], Assignment]]] = {
    "nothing": doing_nothing,
    "default": partial(least_allocated, preempting=False),
    "preempting": partial(least_allocated, preempting=True),
}
