"""A plan as if it had been made without those who come no more and the steps that were for them; chooses neither."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from policies.plans.quotas import Place, kind, place_of
from policies.plans.tallies import Tally
from policies.values.plans import Headcount, Plan, PlanEntry, Quota
from policies.values.workloads import WorkloadRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """What a plan has lost: bare pods by UID, how many come no more to each place, and steps that are for nobody."""

    gone: frozenset[str] = frozenset()
    fallen: Counter[Place] = field(default_factory=Counter)
    dropped: tuple[PlanEntry, ...] = ()


def without(plan: Plan, loss: Loss, counted: Mapping[WorkloadRef, Tally]) -> Plan:
    """Return the plan as if it had been made without what it has lost; `counted` are its tallies."""
    if not (loss.gone or loss.fallen or loss.dropped):
        return plan
    out = loss.gone | {entry.uid for entry in loss.dropped}
    return replace(
        plan,
        entries=tuple(entry for entry in plan.entries if entry.uid not in out),
        quotas=tuple(_quotas(plan, loss)),
        headcounts=tuple(_headcount(each, loss, counted) for each in plan.headcounts),
    )


def _quotas(plan: Plan, loss: Loss) -> Iterator[Quota]:
    """Yield the quotas without those who come no more; whoever is not taken away stays where he is."""
    change, stay = Counter[Place](), dict[Place, Quota]()
    change.subtract(loss.fallen)
    for entry in loss.dropped:
        if entry.controller is None:
            continue
        of = kind(entry.controller, entry.requests)
        if entry.target is not None:
            change[Place(of, entry.target)] -= 1
        source = Place(of, entry.source or "")
        change[source] += 1
        stay[source] = Quota(
            controller=of.controller,
            node=source.node,
            wanted=0,
            requests=of.requests,
            host_ports=entry.host_ports,
            priority=entry.priority,
        )
    known = {place_of(quota) for quota in plan.quotas}
    for quota in (*plan.quotas, *(quota for place, quota in stay.items() if place not in known)):
        yield replace(quota, wanted=max(0, quota.wanted + change.pop(place_of(quota), 0)))


def _headcount(headcount: Headcount, loss: Loss, counted: Mapping[WorkloadRef, Tally]) -> Headcount:
    controller, of = headcount.controller, kind(headcount.controller, headcount.requests)
    lost = sum(count for place, count in loss.fallen.items() if place.kind.controller == controller)
    lost = min(lost, counted[controller].excused)
    staying = sum(
        entry.target is None and entry.controller is not None and kind(entry.controller, entry.requests) == of
        for entry in loss.dropped
    )
    replicas = None if headcount.replicas is None else headcount.replicas - lost
    return replace(headcount, replicas=replicas, unplaced=headcount.unplaced - staying)
