"""Required affinity: a carrier comes only where a match is bound before it.

Bound before are pods that stay, fixed matches, and new ones that wait for nobody themselves. The first pod of a group
that matches itself may open one domain while nothing matches anywhere: whoever else matches and waits for somebody must
come to the same domain, as nobody knows which of the two is bound first.
"""

from descheduler.optimiser.model.draft import Draft, Sum, Values
from descheduler.optimiser.model.layout import Layout
from descheduler.optimiser.model.rows.regions import Region, closed, implied, regions
from descheduler.optimiser.problem import Attraction


def add(draft: Draft, layout: Layout) -> None:
    """Add the rows of every attraction."""
    frame = layout.frame
    for attraction, settled in frame.concerned(frame.cast.concerns.attractions):
        _add(draft, layout, attraction, settled)


def _add(draft: Draft, layout: Layout, attraction: Attraction, settled: frozenset[int]) -> None:
    domains = attraction.domains
    carriers = regions(layout, attraction.carriers, domains)
    bound = _bound(layout, attraction, settled)
    opens = _opens(draft, layout, attraction, carriers, bound)
    late = set(attraction.matching) - settled - set(attraction.carriers)
    if opens and late:
        _gather(draft, opens, regions(layout, late, domains), most=len(layout.frame.where))
    for domain, region in carriers.items():
        if domain < 0:
            closed(draft, region)
        elif domain not in attraction.fixed and (region.coming or region.arrived):
            matched = bound.get(domain, Sum()).plus(opens.get(domain, Sum()))
            _require(draft, region, matched)


def _require(draft: Draft, region: Region, matched: Sum) -> None:
    def derive(values: Values) -> int:
        return int(matched.value(values) > 0)

    has = draft.variable(1, least=int(region.arrived > 0), derive=derive)
    draft.at_most(Sum([has], [1]).plus(matched, -1), 0)
    implied(draft, region, has)


def _bound(layout: Layout, attraction: Attraction, settled: frozenset[int]) -> dict[int, Sum]:
    """Return by domain how many matches are there before a carrier comes."""
    found: dict[int, Sum] = {}
    late = set(attraction.matching) - settled
    for domain, region in regions(layout, settled.intersection(attraction.matching), attraction.domains).items():
        found[domain] = region.standing
    for domain, region in regions(layout, late, attraction.domains).items():
        found[domain] = found.get(domain, Sum()).plus(region.staying)
    found.pop(-1, None)  # a pod on a node without the key matches nowhere
    return found


def _opens(
    draft: Draft, layout: Layout, attraction: Attraction, carriers: dict[int, Region], bound: dict[int, Sum]
) -> dict[int, Sum]:
    """Return by domain the boolean by which an exempt first pod may open it; none where something matches for good."""
    if not attraction.first_exempt or attraction.fixed or any(total.constant for total in bound.values()):
        return {}
    own = regions(layout, set(attraction.carriers).intersection(attraction.matching), attraction.domains)
    opens = {
        domain: _open(draft, region, carriers[domain], bound.get(domain, Sum()))
        for domain, region in own.items()
        if domain >= 0 and (region.coming or region.arrived)
    }
    everywhere = Sum()
    for total in bound.values():
        everywhere = everywhere.plus(total)
    most = len(layout.frame.where)
    for opened in opens.values():
        everywhere = everywhere.plus(opened, most)
    draft.at_most(everywhere, most)  # one domain at most, and only where nothing is bound before
    return opens


def _gather(draft: Draft, opens: dict[int, Sum], late: dict[int, Region], *, most: int) -> None:
    """Let late matches come only to the domain that is opened."""
    for domain, opened in opens.items():
        strays = Sum().plus(opened, most)
        for other, region in late.items():
            if other not in (domain, -1):
                strays = strays.plus(region.comers)
        draft.at_most(strays, most)


def _open(draft: Draft, own: Region, carriers: Region, bound: Sum) -> Sum:
    def derive(values: Values) -> int:
        return int(carriers.comers.value(values) > 0 and bound.value(values) == 0)

    opened = Sum([draft.variable(1, derive=derive)], [1])
    draft.at_most(opened.plus(own.comers, -1), 0)
    return opened
