"""Members of a constraint by domain, as sums of a layout's variables; adds no constraint of its own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from descheduler.optimiser.model.draft import Draft, Sum, Values
from descheduler.optimiser.model.layout import Layout
from descheduler.optimiser.tables import Ints


@dataclass(slots=True)
class Region:
    """A domain: who stands in it, who of them stayed, who comes (one sum a cell, with its largest value).

    `most` is how many may stand there at most, `arrived` how many fixed pods are new there.
    """

    standing: Sum = field(default_factory=Sum)
    staying: Sum = field(default_factory=Sum)
    coming: list[tuple[Sum, int]] = field(default_factory=list)
    most: int = 0
    arrived: int = 0

    @property
    def comers(self) -> Sum:
        """How many are new there."""
        total = Sum(constant=self.arrived)
        for arrival, _ in self.coming:
            total = total.plus(arrival)
        return total


def regions(layout: Layout, members: Iterable[int], domains: Sequence[int]) -> dict[int, Region]:
    """Return the regions that members may stand in; -1 is the region of the nodes without the key."""
    frame = layout.frame
    index = np.array(sorted(set(members)), dtype=np.int64)
    if not len(index):
        return {}
    wanted = np.isin(frame.kinds, frame.cast.classes.of[index])
    found: dict[int, Region] = {}
    cells = np.flatnonzero(wanted[frame.kind])
    for cell, node in zip(cells.tolist(), frame.sites[frame.site[cells]].tolist(), strict=True):
        _add_cell(layout, cell, found.setdefault(domains[node], Region()))
    _add_victims(layout, wanted, domains, found)
    _add_fixed(layout, index[~frame.free[index]], domains, found)
    return found


def _add_cell(layout: Layout, cell: int, region: Region) -> None:
    most = int(layout.frame.most[cell])
    region.standing.add(layout.put[cell])
    region.most += most
    if layout.stay[cell] >= 0:
        region.staying.add(layout.stay[cell])
    arrival = layout.arrival(cell)
    if arrival.variables:
        region.coming.append((arrival, most))


def _add_victims(
    layout: Layout,
    wanted: "np.ndarray[tuple[int], np.dtype[np.bool_]]",
    domains: Sequence[int],
    found: dict[int, Region],
) -> None:
    """A victim without a place stands on its node."""
    frame = layout.frame
    left = frame.cast.tables.left[frame.sample]
    for kind in np.flatnonzero(wanted & (left >= 0)).tolist():
        region = found.setdefault(domains[int(left[kind])], Region())
        region.standing.add(layout.out[kind])
        region.staying.add(layout.out[kind])
        region.most += int(frame.count[kind])


def _add_fixed(layout: Layout, pods: Ints, domains: Sequence[int], found: dict[int, Region]) -> None:
    frame = layout.frame
    tables = frame.cast.tables
    home = np.maximum(tables.origin[pods], tables.left[pods])
    stands = np.where(frame.where[pods] < 0, tables.left[pods], frame.where[pods])
    for node, new in zip(stands.tolist(), (stands != home).tolist(), strict=True):
        if node < 0:
            continue
        region = found.setdefault(domains[node], Region())
        region.standing.constant += 1
        region.most += 1
        if new:
            region.arrived += 1
        else:
            region.staying.constant += 1


def taking(draft: Draft, region: Region) -> int:
    """Add a boolean that is true wherever somebody comes to a region, and return it."""

    def derive(values: Values) -> int:
        return int(bool(region.arrived) or any(arrival.value(values) > 0 for arrival, _ in region.coming))

    takes = draft.variable(1, least=int(region.arrived > 0), derive=derive)
    implied(draft, region, takes)
    return takes


def implied(draft: Draft, region: Region, condition: int) -> None:
    """Add that somebody comes to a region only where a boolean is true."""
    for arrival, most in region.coming:
        draft.at_most(arrival.plus(Sum([condition], [-most])), 0)


def closed(draft: Draft, region: Region) -> None:
    """Add that nobody comes to a region."""
    for arrival, _ in region.coming:
        draft.at_most(arrival, 0)
