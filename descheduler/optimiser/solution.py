"""What a solver answers and what it was allowed: values; nothing here solves or judges."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal, Protocol

from descheduler.optimiser.problem import Problem

LARGEST: Final = 2**31 - 1
"""The largest seed that CP-SAT takes, and a price that no plan can reach."""

Assignment = tuple[int | None, ...]
"""The node of each item, None for an item without a place. A `must_leave` item that stays has None."""


class Proof(StrEnum):
    """How much is known of an answer."""

    IMPROVED_PROVEN = "improved-proven"
    IMPROVED = "improved"
    NOTHING_BETTER = "nothing-better"
    NOTHING_FOUND = "nothing-found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to solve. `time_limit` in seconds of wall clock, the model's build included.

    `order` is the comparison of plans (docs/design/optimiser.md). `evict_for_count` drops the rule that a pod is
    evicted only for a strictly more important tier. `price` is how many more disruptions one more placed pod may
    cost, None: any. `deterministic` replaces the wall clock by CP-SAT's own measure, so that a run can be repeated.
    """

    time_limit: float = 10.0
    order: Literal["placement-first", "frozen"] = "placement-first"
    evict_for_count: bool = False
    price: int | None = 8
    seed: int = 1
    workers: int = 2
    deterministic: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A plan on the way: seconds since the start, pods placed by tier, disruptions."""

    at: float
    placed: tuple[int, ...]
    disruptions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """The best plan found. `vector` is the compared one, by name (`V[0]`, `U[0]`, …, `D`), `baseline` doing nothing's.

    `bounds` are proven lower bounds of the unplaced pods by tier, `disruptions_bound` of the disruptions at this
    vector's counts, None where nothing is proven. `path` holds each improvement; `timings` seconds by stage; `counts`
    what happened by name (each solver status, failed checks). `troubles` says in words what went wrong, for people.
    """

    assignment: Assignment
    proof: Proof
    solver: str
    vector: Mapping[str, int] = field(default_factory=dict)
    baseline: Mapping[str, int] = field(default_factory=dict)
    bounds: tuple[int, ...] = ()
    disruptions_bound: float | None = None
    path: tuple[Point, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    troubles: tuple[str, ...] = ()


class Stop(Protocol):
    """Tells a running solve to end; a `threading.Event` is one."""

    def is_set(self) -> bool:
        """Return whether it is to end now."""
        ...


class Solver(Protocol):
    """Anything that answers a problem. It never raises for a valid problem, and returns the best it has on any stop."""

    @property
    def name(self) -> str:
        """Return the name it goes by in policies, plans and metrics."""
        ...

    def solve(self, problem: Problem, options: Options, stop: Stop) -> Solution:
        """Return the best plan found within the options, doing nothing at least."""
        ...


def doing_nothing(problem: Problem) -> Assignment:
    """Return the assignment in which everybody stays where it is, and nobody pending is placed."""
    return tuple(None if item.must_leave else item.node for item in problem.items)
