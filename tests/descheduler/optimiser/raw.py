"""Claims of proof against a plain model of the raw pods, one variable a pod and node: slow, and nobody else's code.

It is for problems that are too large for `oracle`. The model asks for no more than what every plan needs (who comes
first of two pods that draw each other is left out); the checker judges what it finds, and what that refuses is
forbidden by name, until a plan passes or none is left.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ortools.sat.python import cp_model

from descheduler.optimiser import vectors
from descheduler.optimiser.checking import check
from descheduler.optimiser.problem import Attraction, Domains, Problem, Spread
from descheduler.optimiser.solution import Assignment, Options

_TRIES = 200
_SECONDS = 20.0
Sum = Any  # a variable, a sum of them, or a number: the vendor's types of these do not add up


class UndecidedError(Exception):
    """It took too long, or too many plans were refused."""


def refutation(problem: Problem, plan: Assignment, options: Options) -> Assignment | None:
    """Return a valid plan that shows that one is not the best, None where it is.

    Such a plan equals it in the vector's first numbers and is smaller in the next one, where each unit of an unplaced
    or evicted pod costs at most the price.

    Raises:
        UndecidedError: nobody knows.
    """
    raw = _Raw(problem)
    for at in range(len(raw.numbers(options))):
        for _try in range(_TRIES):
            found = raw.smaller(plan, at, options)
            if found is None:
                break
            if not check(problem, found, options):
                return found
            raw.forbid(found)
        else:
            raise UndecidedError(f"{_TRIES} plans were refused")
    return None


@dataclass
class _Raw:
    """`at[pod][node]`: it stands there in the plan; all zero: no place. A victim has no variable for its own node."""

    problem: Problem
    model: cp_model.CpModel = field(default_factory=cp_model.CpModel)
    at: list[dict[int, cp_model.IntVar]] = field(default_factory=list)

    def __post_init__(self) -> None:
        problem, model = self.problem, self.model
        today = [[0] * len(problem.resources) for _ in problem.sites]
        for item in problem.items:
            if item.node is not None:
                today[item.node] = [a + b for a, b in zip(today[item.node], item.requests, strict=True)]
        overfull = {
            node
            for node, site in enumerate(problem.sites)
            if any(now > room for now, room in zip(today[node], site.room, strict=True))
        }
        for pod, item in enumerate(problem.items):
            open_to = {
                node
                for node in problem.eligibility[item.eligible]
                if problem.sites[node].accepts and node not in overfull and node != item.node
            }
            if item.node is not None and not item.must_leave:
                open_to.add(item.node)
            self.at.append({node: model.new_bool_var(f"{pod}@{node}") for node in sorted(open_to)})
            model.add_at_most_one(self.at[pod].values())
        self._capacity(today)
        self._budgets()
        self._apart()
        for term in problem.attractions:
            self._near(term)
        for spread in problem.spreads:
            self._even(spread)

    # ------------------------------------------------------------------ who is where

    def placed(self, pod: int) -> Sum:
        return sum(self.at[pod].values())

    def stands(self, pod: int, node: int) -> Sum:
        """Return 1 where a pod really is on a node in the end: a victim without a place still stands on its own."""
        item = self.problem.items[pod]
        if item.must_leave and item.node == node:
            return 1 - self.placed(pod)
        return self.at[pod].get(node, 0)

    def comes(self, pod: int, node: int) -> Sum:
        return 0 if node == self.problem.items[pod].node else self.at[pod].get(node, 0)

    def leaves(self, pod: int) -> Sum:
        """Return 1 where a running pod is disturbed."""
        item = self.problem.items[pod]
        if item.node is None:
            return 0
        return self.placed(pod) if item.must_leave else 1 - self.at[pod][item.node]

    def inside(self, pods: Sequence[int], domains: Domains, domain: int, *, but: int = -1) -> Sum:
        """Return how many of some pods stand in a domain."""
        nodes = [node for node, its in enumerate(domains) if its == domain]
        return sum(self.stands(pod, node) for pod in sorted(set(pods)) if pod != but for node in nodes)

    # ------------------------------------------------------------------ rules

    def _capacity(self, today: Sequence[Sequence[int]]) -> None:
        for node, site in enumerate(self.problem.sites):
            for resource, room in enumerate(site.room):
                load = sum(
                    item.requests[resource]
                    * (1 if item.must_leave and item.node == node else self.at[pod].get(node, 0))
                    for pod, item in enumerate(self.problem.items)
                )
                self.model.add(load <= max(room, today[node][resource]))

    def _budgets(self) -> None:
        for budget in self.problem.budgets:
            self.model.add(sum(self.leaves(pod) for pod in set(budget.members)) <= max(0, budget.allowed))
        if self.problem.max_disruptions is not None:
            everybody = range(len(self.problem.items))
            self.model.add(sum(map(self.leaves, everybody)) <= max(0, self.problem.max_disruptions))

    def _apart(self) -> None:
        hosts = tuple(range(len(self.problem.sites)))
        pairs = [(each.members, each.members, hosts) for each in self.problem.exclusives]
        pairs += [(each.carriers, each.others, each.domains) for each in self.problem.separations]
        for mine, theirs, domains in pairs:
            for one in set(mine):
                for other in set(theirs) - {one}:
                    self._never(one, other, domains)
                    self._never(other, one, domains)

    def _never(self, comer: int, other: int, domains: Domains) -> None:
        """Forbid that one pod comes to a domain where another one stands."""
        for node, domain in enumerate(domains):
            if domain >= 0:
                for beside, its in enumerate(domains):
                    if its == domain:
                        self.model.add(self.comes(comer, node) + self.stands(other, beside) <= 1)

    def _near(self, term: Attraction) -> None:
        for comer in set(term.carriers):
            exempt = term.first_exempt and comer in term.matching and not term.fixed
            for node, domain in enumerate(term.domains):
                if domain < 0:
                    self.model.add(self.comes(comer, node) == 0)
                elif domain not in term.fixed and not exempt:
                    self.model.add(
                        self.comes(comer, node) <= self.inside(term.matching, term.domains, domain, but=comer)
                    )

    def _even(self, spread: Spread) -> None:
        fixed = dict.fromkeys(spread.domains, 0)
        for domain, pods in spread.fixed:
            fixed[domain] = fixed.get(domain, 0) + pods
        counts = {
            domain: self.inside(spread.counted, spread.domains, domain) + fixed.get(domain, 0)
            for domain in {*spread.domains, *spread.least_over} - {-1}
        }
        least = self.model.new_int_var(0, 1000, "")
        if len(spread.least_over) < spread.min_domains:
            self.model.add(least == 0)
        for domain in spread.least_over:
            self.model.add(least <= counts[domain])
        if not spread.least_over:
            self.model.add(least == 0)
        for comer in set(spread.carriers):
            for node, domain in enumerate(spread.domains):
                coming = self.comes(comer, node)
                if isinstance(coming, int):
                    continue
                if domain < 0:
                    self.model.add(coming == 0)
                else:
                    self.model.add(counts[domain] <= least + spread.max_skew).only_enforce_if(coming)

    # ------------------------------------------------------------------ what is better

    def numbers(self, options: Options) -> list[Sum]:
        """Return the vector's numbers, most important first."""
        items = list(enumerate(self.problem.items))
        found: list[Sum] = []
        for tier in range(self.problem.tiers):
            mine = [(pod, item) for pod, item in items if item.tier == tier]
            running = [(pod, item) for pod, item in mine if item.node is not None and not item.must_leave]
            if not options.evict_for_count:
                found.append(sum(1 - self.placed(pod) for pod, _item in running))
            found.append(sum(1 - self.placed(pod) for pod, _item in mine))
            if options.order == "frozen":
                found.append(sum(item.weight * self.leaves(pod) for pod, item in running))
        if options.order == "placement-first":
            found.append(self.weight())
        return found

    def weight(self) -> Sum:
        """Return the weight of all disruptions but those of victims."""
        running = [(pod, item) for pod, item in enumerate(self.problem.items) if not item.must_leave]
        return sum(item.weight * self.leaves(pod) for pod, item in running)

    def smaller(self, plan: Assignment, at: int, options: Options) -> Assignment | None:
        """Return a plan that is smaller in this number of the vector, and larger in none before it."""
        model = self.model.clone()
        numbers, vector = self.numbers(options), vectors.vector_of(self.problem, plan, options)
        values, names = list(vector.values()), list(vector)
        for number, value in zip(numbers[:at], values[:at], strict=True):
            model.add(number - value <= 0)
        model.add(numbers[at] - values[at] <= -1)
        if options.price is not None and not names[at].startswith("D"):
            now = sum(vectors.tally(self.problem, plan).weights)
            model.add(self.weight() - now <= options.price * (values[at] - numbers[at]))
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = _SECONDS
        solver.parameters.num_workers = 1
        status = solver.solve(model)
        if status == cp_model.INFEASIBLE:
            return None
        if status not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
            raise UndecidedError(solver.status_name(status))
        return tuple(
            next((node for node, here in places.items() if solver.boolean_value(here)), None) for places in self.at
        )

    def forbid(self, plan: Assignment) -> None:
        """Forbid one plan."""
        self.model.add(
            sum(self.placed(pod) if place is None else 1 - self.at[pod][place] for pod, place in enumerate(plan)) >= 1
        )
