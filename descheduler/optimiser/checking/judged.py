"""A plan laid out for the rules: where every pod really stands, and who is new where; finds no fault itself."""

from dataclasses import dataclass

from descheduler.optimiser import vectors
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A problem with an answer to it.

    `places` is where each pod stands in the end: a victim without a place still stands on its node. `comers` are the
    pods that are new on their node; kube-scheduler judges only these, whatever was wrong before.
    `steps` is the order of the disruptions, None where none was given.
    """

    problem: Problem
    assignment: Assignment
    options: Options
    steps: tuple[int, ...] | None
    places: tuple[int | None, ...]
    comers: frozenset[int]

    def pod(self, index: int) -> str:
        """Name a pod for people."""
        return self.problem.items[index].key

    def site(self, index: int) -> str:
        """Name a node for people."""
        return self.problem.sites[index].name


def lay_out(problem: Problem, assignment: Assignment, options: Options, steps: tuple[int, ...] | None) -> Judged:
    """Return the plan laid out; every pod must have one fate already."""
    places = tuple(vectors.whereabouts(item, node) for item, node in zip(problem.items, assignment, strict=True))
    return Judged(
        problem=problem,
        assignment=assignment,
        options=options,
        steps=steps,
        places=places,
        comers=frozenset(
            index for index, place in enumerate(places) if place is not None and place != problem.items[index].node
        ),
    )
