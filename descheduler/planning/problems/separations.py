"""Required anti-affinity between items, in both directions: terms bind those that carry them and those they speak of.

What fixed pods forbid, and what keeps items away from fixed pods, is in the eligibility already.
"""

from collections.abc import Iterator, Mapping

from descheduler.optimiser.problem import Separation
from descheduler.planning.problems.layout import Layout, grouped
from policies.values.pods import PodTerm


def separations(layout: Layout) -> tuple[Separation, ...]:
    """Return a separation for each term that can keep two items apart."""
    carried = grouped(
        (term, at) for at, pod in enumerate(layout.pods) for term in dict.fromkeys(pod.constraints.anti_affinity)
    )
    return tuple(_binding(layout, carried))


def _binding(layout: Layout, carried: Mapping[PodTerm, tuple[int, ...]]) -> Iterator[Separation]:
    for number, (term, carriers) in enumerate(carried.items()):
        others = layout.numbers(layout.crowd.feared_by(term))
        if others and {*carriers, *others} != {carriers[0]}:
            yield Separation(
                name=f"anti-affinity {number} by {term.topology_key} of {layout.pods[carriers[0]]}",
                carriers=carriers,
                others=others,
                domains=layout.domains(term.topology_key),
            )
