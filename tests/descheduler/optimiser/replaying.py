"""Carries a plan out as a cluster would: everybody who must go goes, then kube-scheduler binds whom it can.

It judges one pod at a time by what stands at that moment, so it shares no thought with the checker, which looks at the
end of a plan.
"""

from collections import Counter

from descheduler.optimiser.problem import Attraction, Domains, Problem, Separation, Spread
from descheduler.optimiser.solution import Assignment

Standing = dict[int, int]
"""The node of each pod that is bound."""


def left_pending(problem: Problem, plan: Assignment) -> set[int]:
    """Return the planned pods that kube-scheduler never binds, though it tries again after each bind."""
    standing: Standing = {}
    for index, item in enumerate(problem.items):
        stays = plan[index] == item.node or (item.must_leave and plan[index] is None)
        if item.node is not None and stays:
            standing[index] = item.node
    waiting = {index: node for index, node in enumerate(plan) if node is not None and index not in standing}
    progress = True
    while progress:
        passing = [pod for pod, node in waiting.items() if _passes(problem, pod, node, standing)]
        progress = bool(passing)
        for pod in passing[:1]:
            standing[pod] = waiting.pop(pod)
    return set(waiting)


def _passes(problem: Problem, pod: int, node: int, standing: Standing) -> bool:
    return (
        _fits(problem, pod, node, standing)
        and not any(_port_is_taken(each.members, pod, node, standing) for each in problem.exclusives)
        and not any(_is_repelled(each, pod, node, standing) for each in problem.separations)
        and all(_is_drawn(each, pod, node, standing) for each in problem.attractions)
        and all(_is_even(each, pod, node, standing) for each in problem.spreads)
    )


def _fits(problem: Problem, pod: int, node: int, standing: Standing) -> bool:
    """Whether the node has room; a victim's old room there is kept even once it is gone."""
    free = list(problem.sites[node].room)
    for index, item in enumerate(problem.items):
        here = standing.get(index) == node or (item.must_leave and item.node == node)
        for resource, amount in enumerate(item.requests):
            free[resource] -= amount * here
    wanted = problem.items[pod].requests
    return all(amount == 0 or amount <= left for amount, left in zip(wanted, free, strict=True))


def _port_is_taken(members: tuple[int, ...], pod: int, node: int, standing: Standing) -> bool:
    return pod in members and any(standing.get(member) == node for member in members)


def _is_repelled(separation: Separation, pod: int, node: int, standing: Standing) -> bool:
    domain = separation.domains[node]
    here = {other for other, place in standing.items() if domain >= 0 and separation.domains[place] == domain}
    repels = pod in separation.carriers and here.intersection(separation.others)
    repelled = pod in separation.others and here.intersection(separation.carriers)
    return bool(repels or repelled)


def _is_drawn(attraction: Attraction, pod: int, node: int, standing: Standing) -> bool:
    if pod not in attraction.carriers:
        return True
    domain = attraction.domains[node]
    matches = _domains_of(attraction.matching, attraction.domains, standing) + Counter(attraction.fixed)
    first = attraction.first_exempt and pod in attraction.matching and not matches
    return domain >= 0 and (domain in matches or first)


def _is_even(spread: Spread, pod: int, node: int, standing: Standing) -> bool:
    if pod not in spread.carriers:
        return True
    domain = spread.domains[node]
    counts = _domains_of(spread.counted, spread.domains, standing) + Counter(dict(spread.fixed))
    least = 0 if len(spread.least_over) < spread.min_domains else min((counts[d] for d in spread.least_over), default=0)
    return domain >= 0 and counts[domain] + (pod in spread.counted) - least <= spread.max_skew


def _domains_of(members: tuple[int, ...], domains: Domains, standing: Standing) -> Counter[int]:
    places = (standing[member] for member in set(members) if member in standing)
    return Counter(domains[place] for place in places if domains[place] >= 0)
