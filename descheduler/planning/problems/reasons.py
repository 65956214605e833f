"""Why a plan does something with a pod, in one sentence each; decides nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from descheduler.optimiser.solution import Assignment
from descheduler.planning.problems.building import Built
from descheduler.planning.problems.steps import Steps

_NAMED: Final = 3  # pods that a sentence names one by one; the others are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasons:
    """Who comes to each site and who leaves it, in the order of the steps."""

    built: Built
    assignment: Assignment
    coming: Mapping[int, tuple[int, ...]]
    going: Mapping[int, tuple[int, ...]]

    @staticmethod
    def of(built: Built, assignment: Assignment, order: Steps) -> "Reasons":
        """Sort the steps by site."""
        coming: dict[int, list[int]] = {}
        going: dict[int, list[int]] = {}
        for at in (*order.placements, *order.disruptions):
            source, target = built.problem.items[at].node, assignment[at]
            if target is not None:
                coming.setdefault(target, []).append(at)
            if source is not None:
                going.setdefault(source, []).append(at)
        return Reasons(built=built, assignment=assignment, coming=_frozen(coming), going=_frozen(going))

    def of_placement(self, at: int) -> str:
        """Say why a pending pod gets its node."""
        site = self.assignment[at]
        assert site is not None, "only pods with a place are placed"  # noqa: S101  # for the type checker
        going = self.going.get(site, ())
        node = self.built.nodes[site]
        return f"fits on {node} once {self._names(going)} left it" if going else f"{node} has room for it"

    def of_disruption(self, at: int) -> str:
        """Say why a running pod leaves its node."""
        item, target = self.built.problem.items[at], self.assignment[at]
        assert item.node is not None, "only running pods are disrupted"  # noqa: S101  # for the type checker
        source, coming = self.built.nodes[item.node], self.coming.get(item.node, ())
        where = "" if target is None else f", and fits on {self.built.nodes[target]}"
        if item.must_leave:
            return f"leaves {source}, which is congested{where}"
        if target is None:
            return f"gives way on {source} to {self._names(coming)}" if coming else f"has no place on {source} any more"
        return f"makes room on {source} for {self._names(coming)}{where}" if coming else f"leaves {source}{where}"

    def _names(self, items: tuple[int, ...]) -> str:
        names = [str(self.built.pods[at]) for at in items[:_NAMED]]
        more = len(items) - len(names)
        return ", ".join(names) + (f" and {more} more" if more else "")


def _frozen(groups: Mapping[int, list[int]]) -> dict[int, tuple[int, ...]]:
    return {site: tuple(items) for site, items in groups.items()}
