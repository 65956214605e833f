"""Topology spread that must hold: as kube-scheduler counts it, on the nodes that the carrier itself may use.

Pods on other nodes do not count, nor do those that are going.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from descheduler.optimiser.problem import Domains, Spread
from descheduler.planning.problems.layout import Layout, grouped
from policies.feasibility.crowd import Crowd
from policies.feasibility.spread import eligible_nodes
from policies.values.pods import Pod, PodTerm, SpreadConstraint


class _Wish(NamedTuple):
    """One constraint of pods of a namespace that may use the same nodes."""

    constraint: SpreadConstraint
    namespace: str
    domains: Domains


def spreads(layout: Layout) -> tuple[Spread, ...]:
    """Return a row for each constraint, namespace and set of nodes that count."""
    known: dict[tuple[int, SpreadConstraint], Domains] = {}
    wishes = grouped(_wishes(layout, known))
    return tuple(_spread(wish, carriers, layout) for wish, carriers in wishes.items())


def _wishes(layout: Layout, known: dict[tuple[int, SpreadConstraint], Domains]) -> Iterator[tuple[_Wish, int]]:
    for at, pod in enumerate(layout.pods):
        for constraint in dict.fromkeys(pod.constraints.spread):
            # Pods of one template share their constraints as one object.
            key = (id(pod.constraints), constraint)
            if key not in known:
                known[key] = _domains(pod, constraint, layout)
            yield _Wish(constraint, pod.namespace, known[key]), at


def _domains(pod: Pod, constraint: SpreadConstraint, layout: Layout) -> Domains:
    """Return the domain of each site that counts, -1 for the others."""
    codes = layout.rows.codes(constraint.topology_key)
    counts = eligible_nodes(pod, constraint, layout.everybody)
    return tuple(np.where(counts, codes, -1).tolist())


def _spread(wish: _Wish, carriers: tuple[int, ...], layout: Layout) -> Spread:
    constraint, domains = wish.constraint, wish.domains
    fixed = Counter(
        domains[layout.ground.row_of(pod)] for pod in _counted(wish, layout.ground.crowd) if not pod.terminating
    )
    return Spread(
        name=f"spread by {constraint.topology_key} of {layout.pods[carriers[0]]}",
        carriers=carriers,
        counted=layout.numbers(_counted(wish, layout.crowd)),
        domains=domains,
        least_over=tuple(sorted(set(domains) - {-1})),
        max_skew=constraint.max_skew,
        min_domains=constraint.min_domains,
        fixed=tuple(sorted((domain, count) for domain, count in fixed.items() if domain >= 0)),
    )


def _counted(wish: _Wish, crowd: Crowd) -> tuple[Pod, ...]:
    term = PodTerm(wish.constraint.topology_key, wish.constraint.selector, frozenset({wish.namespace}))
    return crowd.spoken_of(term)
