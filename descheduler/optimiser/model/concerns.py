"""Constraints found by their members, so that a model of a few pods looks at those of these pods only.

A constraint of which every member stays as it is holds in every plan of such a model, as it does in the one it starts
from. A large cluster has thousands of constraints, a dozen nodes a hundred of them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from descheduler.optimiser.problem import Problem
from descheduler.optimiser.ties.waiting import waits_for_nobody

Constraint = TypeVar("Constraint")


class ByMember(Generic[Constraint]):
    """Constraints of one kind."""

    def __init__(self, constraints: Iterable[Constraint], members: Callable[[Constraint], Sequence[int]]) -> None:
        self._constraints = tuple(constraints)
        self._of: dict[int, list[int]] = {}
        for number, constraint in enumerate(self._constraints):
            for pod in set(members(constraint)):
                self._of.setdefault(pod, []).append(number)

    def of(self, pods: Iterable[int]) -> list[Constraint]:
        """Return those that have one of the pods as a member, in their order."""
        numbers = {number for pod in pods for number in self._of.get(pod, ())}
        return [self._constraints[number] for number in sorted(numbers)]


class Concerns:
    """All constraints of a problem, but for host ports that only one pod takes. Attractions come with who is first."""

    def __init__(self, problem: Problem) -> None:
        shared = (port for port in problem.exclusives if len(set(port.members)) > 1)
        near = zip(problem.attractions, waits_for_nobody(problem.attractions), strict=True)
        self.budgets = ByMember(problem.budgets, lambda budget: budget.members)
        self.exclusives = ByMember(shared, lambda port: port.members)
        self.separations = ByMember(problem.separations, lambda apart: (*apart.carriers, *apart.others))
        self.attractions = ByMember(near, lambda pair: (*pair[0].carriers, *pair[0].matching))
        self.spreads = ByMember(problem.spreads, lambda even: (*even.carriers, *even.counted))
