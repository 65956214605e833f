"""One pod a node of those that need the same host port; what clashes today may go on clashing."""

from collections import defaultdict
from collections.abc import Iterator

from descheduler.optimiser.checking.judged import Judged
from descheduler.optimiser.checking.violations import Rule, Violation


def violations(judged: Judged) -> Iterator[Violation]:
    """Yield each node where a pod comes to a port that another one has in the end."""
    for exclusive in judged.problem.exclusives:
        holders: dict[int, list[int]] = defaultdict(list)
        for member in sorted(set(exclusive.members)):
            place = judged.places[member]
            if place is not None:
                holders[place].append(member)
        for node, members in holders.items():
            if len(members) > 1 and judged.comers.intersection(members):
                yield Violation(
                    rule=Rule.EXCLUSIVE,
                    where=f"{exclusive.name} on {judged.site(node)}",
                    seen=", ".join(judged.pod(member) for member in members),
                    allowed="one pod",
                )
