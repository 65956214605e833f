"""What the default scheduler would make of the pending pods (B1): one at a time, LeastAllocated, preemption on request.

It moves nobody. Pods come by tier, in the order of the problem; a preempted pod queues up again behind its tier. Ports,
affinity and spread are judged by the checker's rules, as they are kube-scheduler's own.
"""

import heapq
from collections.abc import Iterable
from fractions import Fraction
from itertools import chain

from descheduler.optimiser.baselines import ground as surveying
from descheduler.optimiser.checking import attractions, exclusives, separations, spreads
from descheduler.optimiser.checking.judged import lay_out
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options, doing_nothing

_TIES = (exclusives.violations, separations.violations, attractions.violations, spreads.violations)


def least_allocated(problem: Problem, *, preempting: bool) -> Assignment:
    """Return where the pending pods would go; without `preempting` nobody loses a place."""
    return _Queue(problem).run(preempting=preempting)


class _Queue:
    """The scheduling queue and the cluster as it fills."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._ground = surveying.survey(problem, ties=False)
        self._tied = surveying.tied(problem)
        self._places = list(doing_nothing(problem))
        self._free = [list(rooms) for rooms in self._ground.rooms]
        self._pods: list[set[int]] = [set() for _ in problem.sites]
        for index, place in enumerate(self._places):
            if place is not None:
                self._take(index, place)

    def run(self, *, preempting: bool) -> Assignment:
        """Schedule everybody without a place once, preempted ones once more."""
        waiting = [(self._problem.items[at].tier, at) for at, place in enumerate(self._places) if place is None]
        heapq.heapify(waiting)
        while waiting:
            _, index = heapq.heappop(waiting)
            node = self._best(index)
            if node is None and preempting:
                node, victims = self._preempt(index)
                for victim in victims:
                    self._release(victim)
                    heapq.heappush(waiting, (self._problem.items[victim].tier, victim))
            if node is not None:
                self._take(index, node)
        return tuple(self._places)

    def _best(self, index: int) -> int | None:
        fitting = [node for node in self._ground.reach[index] if self._fits(index, node, without=())]
        ordered = sorted(fitting, key=lambda node: (-self._score(index, node), node))
        return next((node for node in ordered if self._ties_hold(index, node, without=())), None)

    def _score(self, index: int, node: int) -> Fraction:
        """Return the free share after placing, summed over CPU and memory: kube-scheduler's LeastAllocated."""
        site, requests = self._problem.sites[node], self._problem.items[index].requests
        return sum(
            (
                Fraction(self._free[node][resource] - requests[resource], site.allocatable[resource])
                for resource in self._problem.primary
                if site.allocatable[resource] > 0
            ),
            Fraction(0),
        )

    def _preempt(self, index: int) -> tuple[int | None, tuple[int, ...]]:
        """Return the node whose victims matter least, and these: the least important first, few before many."""
        found = [(node, victims) for node in self._ground.reach[index] if (victims := self._victims(index, node))]
        items = self._problem.items
        return min(
            found,
            key=lambda each: (-min(items[victim].tier for victim in each[1]), len(each[1]), each[0]),
            default=(None, ()),
        )

    def _victims(self, index: int, node: int) -> tuple[int, ...]:
        """Return whom the pod would push off the node, nobody where that is not enough; important ones stay first."""
        items = self._problem.items
        lower = sorted(
            (at for at in self._pods[node] if items[at].tier > items[index].tier and not items[at].must_leave),
            key=lambda at: (items[at].tier, at),
        )
        if not lower or not self._possible(index, node, without=lower):
            return ()
        victims = list(lower)
        for spared in lower:
            rest = [victim for victim in victims if victim != spared]
            if self._possible(index, node, without=rest):
                victims = rest
        return tuple(victims)

    def _possible(self, index: int, node: int, *, without: Iterable[int]) -> bool:
        gone = tuple(without)
        return self._fits(index, node, without=gone) and self._ties_hold(index, node, without=gone)

    def _fits(self, index: int, node: int, *, without: tuple[int, ...]) -> bool:
        items = self._problem.items
        return all(
            amount <= free + sum(items[victim].requests[resource] for victim in without)
            for resource, (amount, free) in enumerate(zip(items[index].requests, self._free[node], strict=True))
        )

    def _ties_hold(self, index: int, node: int, *, without: tuple[int, ...]) -> bool:
        if index not in self._tied:
            return True
        places = list(self._places)
        for victim in without:
            places[victim] = None
        before = self._breaches(places)
        places[index] = node
        return self._breaches(places) <= before

    def _breaches(self, places: list[int | None]) -> int:
        judged = lay_out(self._problem, tuple(places), Options(), None)
        return sum(1 for _ in chain.from_iterable(rule(judged) for rule in _TIES))

    def _take(self, index: int, node: int) -> None:
        self._places[index] = node
        self._pods[node].add(index)
        for resource, amount in enumerate(self._problem.items[index].requests):
            self._free[node][resource] -= amount

    def _release(self, index: int) -> None:
        node = self._places[index]
        if node is None:
            return
        self._places[index] = None
        self._pods[node].discard(index)
        for resource, amount in enumerate(self._problem.items[index].requests):
            self._free[node][resource] += amount
