"""Required anti-affinity in both directions: who comes meets none of the other side in its domain.

A pair that stands together today may go on doing so, as Kubernetes ignores it during execution too.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from descheduler.optimiser.checking.judged import Judged
from descheduler.optimiser.checking.violations import Rule, Violation
from descheduler.optimiser.problem import Separation


def violations(judged: Judged) -> Iterator[Violation]:
    """Yield one breach for each pod that comes to a domain where somebody forbids it, or is forbidden by it."""
    for separation in judged.problem.separations:
        carriers = by_domain(judged, separation.carriers, separation)
        others = by_domain(judged, separation.others, separation)
        for domain in sorted(carriers.keys() & others.keys()):
            yield from _meetings(judged, separation, carriers[domain], others[domain])


def by_domain(judged: Judged, members: Iterable[int], separation: Separation) -> dict[int, list[int]]:
    """Return the members by the domain they stand in; nodes without the key are in none."""
    found: dict[int, list[int]] = defaultdict(list)
    for member in sorted(set(members)):
        place = judged.places[member]
        if place is not None and separation.domains[place] >= 0:
            found[separation.domains[place]].append(member)
    return found


def _meetings(judged: Judged, separation: Separation, carriers: list[int], others: list[int]) -> Iterator[Violation]:
    for mine, theirs in ((carriers, others), (others, carriers)):
        for comer in mine:
            met = [other for other in theirs if other != comer]
            if comer in judged.comers and met:
                yield Violation(
                    rule=Rule.SEPARATION,
                    where=f"{separation.name}: {judged.pod(comer)}",
                    seen=f"together with {judged.pod(met[0])}",
                    allowed="no such pod in its domain",
                )
