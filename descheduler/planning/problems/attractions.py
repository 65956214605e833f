"""Required affinity of items: each finds company that all its terms speak of, in the domain of each term.

Company may be fixed or an item itself. A pod that is going is none. The first of a group that wants its own company is
exempt while there is none anywhere.
"""

from collections.abc import Iterator

from descheduler.optimiser.problem import Attraction
from descheduler.planning.problems.layout import Layout, grouped
from policies.feasibility.crowd import Crowd
from policies.feasibility.terms import speaks_of
from policies.values.pods import Pod, PodTerm

Terms = tuple[PodTerm, ...]


def attractions(layout: Layout) -> tuple[Attraction, ...]:
    """Return an attraction for each term, the carriers that speak of themselves apart from those that do not."""
    wanting = ((at, pod) for at, pod in enumerate(layout.pods) if pod.constraints.affinity)
    groups = grouped(((pod.constraints.affinity, _founds(pod, layout)), at) for at, pod in wanting)
    return tuple(
        attraction
        for (terms, founds), carriers in groups.items()
        for attraction in _of(terms, carriers, layout, founds=founds)
    )


def _of(terms: Terms, carriers: tuple[int, ...], layout: Layout, *, founds: bool) -> Iterator[Attraction]:
    matching = layout.numbers(_company(terms, layout.crowd, layout))
    ground = layout.ground
    fixed = [ground.row_of(pod) for pod in _company(terms, ground.crowd, layout) if not pod.terminating]
    for term in dict.fromkeys(terms):
        domains = layout.domains(term.topology_key)
        yield Attraction(
            name=f"affinity by {term.topology_key} of {layout.pods[carriers[0]]}",
            carriers=carriers,
            matching=matching,
            domains=domains,
            fixed=tuple(sorted({domains[row] for row in fixed} - {-1})),
            first_exempt=founds and not fixed,
        )


def _company(terms: Terms, crowd: Crowd, layout: Layout) -> Iterator[Pod]:
    """Yield the pods of a crowd that every term speaks of."""
    for pod in crowd.spoken_of(terms[0]):
        if all(speaks_of(term, pod, layout.cluster, unknown=False) for term in terms[1:]):
            yield pod


def _founds(pod: Pod, layout: Layout) -> bool:
    """Tell whether a pod is of the company that it wants itself."""
    return all(speaks_of(term, pod, layout.cluster, unknown=False) for term in pod.constraints.affinity)
