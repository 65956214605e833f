"""Topology spread that must hold: as kube-scheduler counts it, on the nodes that the carrier itself may use.

Pods on other nodes do not count, nor do those that are going.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
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
    area: int


class _Area(NamedTuple):
    """The domain of each site that counts, -1 for the others, and each of the domains once."""

    domains: Domains
    each: tuple[int, ...]


@dataclass(slots=True)
class _Areas:
    """Areas, each kept once: thousands of workloads have a few of them between them."""

    all: list[_Area] = field(default_factory=list)
    numbers: dict[bytes, int] = field(default_factory=dict)

    def number(self, pod: Pod, constraint: SpreadConstraint, layout: Layout) -> int:
        counts = eligible_nodes(pod, constraint, layout.everybody)
        domains = np.where(counts, layout.rows.codes(constraint.topology_key), -1)
        key = domains.tobytes()
        if key not in self.numbers:
            self.numbers[key] = len(self.all)
            self.all.append(_Area(tuple(domains.tolist()), tuple(np.unique(domains[counts]).tolist())))
        return self.numbers[key]


def spreads(layout: Layout) -> tuple[Spread, ...]:
    """Return a row for each constraint, namespace and set of nodes that count."""
    areas = _Areas()
    wishes = grouped(_wishes(layout, areas))
    return tuple(_spread(wish, areas.all[wish.area], carriers, layout) for wish, carriers in wishes.items())


def _wishes(layout: Layout, areas: _Areas) -> Iterator[tuple[_Wish, int]]:
    known: dict[tuple[int, SpreadConstraint], int] = {}
    for at, pod in enumerate(layout.pods):
        for constraint in dict.fromkeys(pod.constraints.spread):
            # Pods of one template share their constraints as one object.
            key = (id(pod.constraints), constraint)
            if key not in known:
                known[key] = areas.number(pod, constraint, layout)
            yield _Wish(constraint, pod.namespace, known[key]), at


def _spread(wish: _Wish, area: _Area, carriers: tuple[int, ...], layout: Layout) -> Spread:
    constraint, domains = wish.constraint, area.domains
    fixed = Counter(
        domains[layout.ground.row_of(pod)] for pod in _counted(wish, layout.ground.crowd) if not pod.terminating
    )
    return Spread(
        name=f"spread by {constraint.topology_key} of {layout.pods[carriers[0]]}",
        carriers=carriers,
        counted=layout.numbers(_counted(wish, layout.crowd)),
        domains=domains,
        least_over=area.each,
        max_skew=constraint.max_skew,
        min_domains=constraint.min_domains,
        fixed=tuple(sorted((domain, count) for domain, count in fixed.items() if domain >= 0)),
    )


def _counted(wish: _Wish, crowd: Crowd) -> tuple[Pod, ...]:
    term = PodTerm(wish.constraint.topology_key, wish.constraint.selector, frozenset({wish.namespace}))
    return crowd.spoken_of(term)
