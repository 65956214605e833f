"""Required affinity: who comes finds its match, in an order that kube-scheduler could bind them in.

Two pods that only wait for each other never start, so it is not enough that they stand together in the end.
"""

from collections.abc import Iterator

from descheduler.optimiser.checking.judged import Judged
from descheduler.optimiser.checking.violations import Rule, Violation
from descheduler.optimiser.problem import Attraction


def violations(judged: Judged) -> Iterator[Violation]:
    """Yield each pod that is still waiting for its match once nobody else can be bound."""
    bound = {index for index, place in enumerate(judged.places) if place is not None} - judged.comers
    drawn = _drawn(judged)
    bound |= judged.comers - drawn.keys()
    waiting = sorted(drawn)
    while binding := _next(judged, drawn, waiting, bound):
        bound |= binding
        waiting = [comer for comer in waiting if comer not in binding]
    for comer in waiting:
        yield Violation(
            rule=Rule.ATTRACTION,
            where=f"{', '.join(term.name for term in drawn[comer])}: {judged.pod(comer)}",
            seen=f"no match bound before it in its domain at {_site(judged, comer)}",
            allowed="a domain where a match stands already",
        )


def _drawn(judged: Judged) -> dict[int, list[Attraction]]:
    """Return the terms of each pod that comes and carries any."""
    drawn: dict[int, list[Attraction]] = {}
    for term in judged.problem.attractions:
        for comer in judged.comers.intersection(term.carriers):
            drawn.setdefault(comer, []).append(term)
    return drawn


def _next(judged: Judged, drawn: dict[int, list[Attraction]], waiting: list[int], bound: set[int]) -> frozenset[int]:
    """Return who can be bound now; an exempt first pod only alone, and only where nobody finds a match."""
    matched = frozenset(comer for comer in waiting if all(_met(judged, term, comer, bound) for term in drawn[comer]))
    if matched:
        return matched
    exempt = (
        comer
        for comer in waiting
        if all(_met(judged, term, comer, bound) or _first(judged, term, comer, bound) for term in drawn[comer])
    )
    return frozenset([first]) if (first := next(exempt, None)) is not None else frozenset()


def _domain(judged: Judged, term: Attraction, index: int) -> int:
    place = judged.places[index]
    return -1 if place is None else term.domains[place]


def _met(judged: Judged, term: Attraction, comer: int, bound: set[int]) -> bool:
    domain = _domain(judged, term, comer)
    return domain >= 0 and (
        domain in term.fixed
        or any(match in bound and _domain(judged, term, match) == domain for match in term.matching if match != comer)
    )


def _first(judged: Judged, term: Attraction, comer: int, bound: set[int]) -> bool:
    """Whether the pod is the first of a group that matches itself; it needs the key on its node all the same."""
    nothing = not term.fixed and not any(
        _domain(judged, term, match) >= 0 for match in bound.intersection(term.matching)
    )
    return term.first_exempt and comer in term.matching and nothing and _domain(judged, term, comer) >= 0


def _site(judged: Judged, comer: int) -> str:
    place = judged.places[comer]
    return "no node" if place is None else judged.site(place)
