"""The pods of each controller that a plan speaks of, counted: wanted, bound, waiting, scaled away; decides nothing.

Only pods of the kinds in the plan's headcounts count: others of the same controller, of another size, are not its own.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from policies.plans.owners import growth
from policies.plans.quotas import Kind, Place, kind, kind_among, leaving, wanted
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from policies.values.workloads import WorkloadRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """One controller. `bound` are its live pods by place, without the plan's victims; `pending` those without a node.

    `unplaced` get no node from the plan. `grown` is by how many replicas it was scaled meanwhile, down being negative.
    `by_number` is False where the controller has no wanted number and loses nobody: its pods end when they are done.
    """

    controller: WorkloadRef
    wanted: Mapping[Place, int]
    bound: Mapping[Place, int]
    pending: int
    unplaced: int
    grown: int
    by_number: bool

    @property
    def missing(self) -> Mapping[Place, int]:
        """Where how many wanted pods are not bound."""
        lacking = {place: count - self.bound.get(place, 0) for place, count in self.wanted.items()}
        return {place: count for place, count in lacking.items() if count > 0}

    @property
    def excused(self) -> int:
        """How many wanted pods there are none of any more: those scaled away beyond the unplaced ones."""
        return max(0, -self.grown - self.unplaced)

    @property
    def may_wait(self) -> int:
        """How many pods may be without a node in the end."""
        return self.unplaced + max(0, self.grown)

    @property
    def misplaced(self) -> int:
        """How many pods stand where the plan does not want that many."""
        return sum(max(0, count - self.wanted.get(place, 0)) for place, count in self.bound.items())

    @property
    def settled(self) -> bool:
        """Whether everybody who still can stands where the plan wants him."""
        there = sum(self.missing.values()) <= self.excused if self.by_number else True
        return there and self.pending <= self.may_wait


def tallies(plan: Plan, now: Cluster) -> Mapping[WorkloadRef, Tally]:
    """Return the tally of each controller of the plan."""
    known = {kind(each.controller, each.requests) for each in plan.headcounts}
    bound, pending = _count(known, leaving(plan), now)
    goal = wanted(plan)
    return {
        controller: Tally(
            controller=controller,
            wanted={place: count for place, count in goal.items() if place.kind.controller == controller},
            bound=bound.get(controller, {}),
            pending=pending[controller],
            unplaced=sum(each.unplaced for each in plan.headcounts if each.controller == controller),
            grown=_grown(controller, plan, now),
            by_number=_by_number(controller, plan),
        )
        for controller in dict.fromkeys(each.controller for each in plan.headcounts)
    }


def _count(
    known: set[Kind], gone: frozenset[str], now: Cluster
) -> tuple[Mapping[WorkloadRef, Counter[Place]], Counter[WorkloadRef]]:
    controllers = {of.controller for of in known}
    bound, pending = dict[WorkloadRef, Counter[Place]](), Counter[WorkloadRef]()
    for pod in now.pods.values():
        of = None if pod.ended or pod.terminating or pod.uid in gone else kind_among(pod, controllers)
        if of is None or of not in known:
            continue
        if pod.node is None:
            pending[of.controller] += 1
        else:
            bound.setdefault(of.controller, Counter())[Place(of, pod.node)] += 1
    return bound, pending


def _grown(controller: WorkloadRef, plan: Plan, now: Cluster) -> int:
    # Headcounts of one controller carry the same number of replicas: that of all its pods.
    return next(growth(each, plan, now) for each in plan.headcounts if each.controller == controller)


def _by_number(controller: WorkloadRef, plan: Plan) -> bool:
    return any(_replicas(controller, plan)) or any(entry.controller == controller for entry in plan.disruptions)


def _replicas(controller: WorkloadRef, plan: Plan) -> Iterator[bool]:
    return (each.replicas is not None for each in plan.headcounts if each.controller == controller)
