"""No node holds more than its room, in exact units; where it does today, it gains nothing and nobody."""

from collections.abc import Iterator

from descheduler.optimiser.checking.judged import Judged
from descheduler.optimiser.checking.violations import Rule, Violation

Loads = list[list[int]]


def violations(judged: Judged) -> Iterator[Violation]:
    """Yield each resource of each node that is asked for beyond its room, and each pod that comes to a full node."""
    problem = judged.problem
    today = _loads(judged, [(index, item.node) for index, item in enumerate(problem.items)])
    planned = _loads(judged, _taken(judged))
    overfull = set()
    for node, site in enumerate(problem.sites):
        for resource, room in enumerate(site.room):
            if today[node][resource] > room:
                overfull.add(node)
            allowed = max(room, today[node][resource])
            if planned[node][resource] > allowed:
                yield Violation(
                    rule=Rule.CAPACITY,
                    where=f"{problem.resources[resource]} of {site.name}",
                    seen=str(planned[node][resource]),
                    allowed=f"at most {allowed}",
                )
    yield from _come_to(judged, overfull)


def _taken(judged: Judged) -> Iterator[tuple[int, int | None]]:
    """Yield each pod with each node where it takes room: a victim keeps its old room even where it goes."""
    for index, (item, place) in enumerate(zip(judged.problem.items, judged.places, strict=True)):
        yield index, place
        if item.must_leave and place != item.node:
            yield index, item.node


def _loads(judged: Judged, taken: list[tuple[int, int | None]] | Iterator[tuple[int, int | None]]) -> Loads:
    problem = judged.problem
    loads = [[0] * len(problem.resources) for _ in problem.sites]
    for index, node in taken:
        if node is not None:
            load = loads[node]
            for resource, amount in enumerate(problem.items[index].requests):
                load[resource] += amount
    return loads


def _come_to(judged: Judged, overfull: set[int]) -> Iterator[Violation]:
    for index in sorted(judged.comers):
        place = judged.places[index]
        if place in overfull:
            yield Violation(
                rule=Rule.CAPACITY,
                where=judged.pod(index),
                seen=f"coming to {judged.problem.sites[place].name}, which holds more than its room today",
                allowed="no pod more there",
            )
