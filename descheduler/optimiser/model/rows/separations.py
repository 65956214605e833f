"""Required anti-affinity: where one side comes, the other is not; in both directions.

In a domain stand either pods that only carry the term, or pods that only match it, or a single pod that does both:
`has[carriers] + has[others] + both <= 1`.
"""

from collections.abc import Sequence

import numpy as np

from descheduler.optimiser.model.draft import Draft, Sum, Values
from descheduler.optimiser.model.layout import Layout
from descheduler.optimiser.model.rows.regions import Region, regions, taking
from descheduler.optimiser.problem import Separation


def add(draft: Draft, layout: Layout) -> None:
    """Add a row for every domain where the two sides could meet."""
    frame = layout.frame
    for separation in frame.concerned(frame.cast.concerns.separations):
        _add(draft, layout, separation)


def _add(draft: Draft, layout: Layout, separation: Separation) -> None:
    carriers, others = set(separation.carriers), set(separation.others)
    domains = separation.domains
    everybody = regions(layout, carriers | others, domains)
    sides = [regions(layout, side, domains) for side in (carriers - others, others - carriers)]
    both = everybody if carriers == others else regions(layout, carriers & others, domains)
    for domain, region in everybody.items():
        if domain < 0 or not (region.coming or region.arrived):
            continue
        total = both[domain].standing if domain in both else Sum()
        for side in sides:
            if domain in side:
                total = total.plus(_has(draft, side[domain]))
        most = 1
        if _met_today(layout, separation, domain):
            total = total.plus(Sum([taking(draft, region)], [region.most]))
            most += region.most
        draft.at_most(total, most)


def _has(draft: Draft, region: Region) -> Sum:
    """Return a boolean that is true where anybody stands."""
    standing = region.standing
    if standing.constant:
        return Sum(constant=1)

    def derive(values: Values) -> int:
        return int(standing.value(values) > 0)

    has = draft.variable(1, derive=derive)
    draft.at_most(standing.plus(Sum([has], [-region.most])), 0)
    return Sum([has], [1])


def _met_today(layout: Layout, separation: Separation, domain: int) -> bool:
    tables = layout.frame.cast.tables
    home = np.maximum(tables.origin, tables.left)

    def here(pods: Sequence[int]) -> set[int]:
        return {pod for pod in pods if home[pod] >= 0 and separation.domains[home[pod]] == domain}

    carriers, others = here(separation.carriers), here(separation.others)
    return bool(carriers and others) and len(carriers | others) > 1
