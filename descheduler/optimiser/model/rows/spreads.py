"""Topology spread: a domain that takes a carrier holds at most the least domain's number plus the skew."""

from descheduler.optimiser.model.draft import Draft, Sum, Values
from descheduler.optimiser.model.layout import Layout
from descheduler.optimiser.model.rows.regions import Region, closed, regions, taking
from descheduler.optimiser.problem import Spread


def add(draft: Draft, layout: Layout) -> None:
    """Add the rows of every spread."""
    frame = layout.frame
    for spread in frame.concerned(frame.cast.concerns.spreads):
        _add(draft, layout, spread)


def _add(draft: Draft, layout: Layout, spread: Spread) -> None:
    counted = regions(layout, spread.counted, spread.domains)
    for domain, pods in spread.fixed:
        region = counted.setdefault(domain, Region())
        region.standing.constant += pods
        region.most += pods
    least = _least(draft, spread, counted)
    for domain, region in regions(layout, spread.carriers, spread.domains).items():
        if domain < 0:
            closed(draft, region)
        elif region.coming or region.arrived:
            here = counted.get(domain, Region())
            takes = Sum([taking(draft, region)], [max(here.most, 1)])
            total = here.standing.plus(least, -1).plus(takes)
            draft.at_most(total, spread.max_skew + max(here.most, 1))


def _least(draft: Draft, spread: Spread, counted: dict[int, Region]) -> Sum:
    """Return the least number of a domain: a variable that is at most each of them, 0 where there are too few."""
    domains = set(spread.least_over)
    if not domains or len(domains) < spread.min_domains or not domains <= counted.keys():
        return Sum()  # a domain that nobody can come to stays empty
    held = [counted[domain] for domain in sorted(domains)]
    most = min(region.most for region in held)
    totals = [region.standing for region in held if region.standing.variables]  # the others are within `most`

    def derive(values: Values) -> int:
        return min([most, *(total.value(values) for total in totals)])

    least = Sum([draft.variable(most, derive=derive)], [1])
    for total in totals:
        draft.at_most(least.plus(total, -1), 0)
    return least
