"""The pods of each controller that a plan speaks of, counted: wanted, bound, waiting, scaled away; decides nothing.

Only pods of the kinds in the plan's headcounts count: others of the same controller, of another size, are not its own.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from policies.plans.owners import growth, workloads_by_controller
from policies.plans.quotas import Kind, Place, kind_among, kinds_of, leaving, wanted
from policies.values.clusters import Cluster
from policies.values.plans import Headcount, Plan
from policies.values.workloads import WorkloadRef


@dataclass(frozen=True, kw_only=True)
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

    @cached_property
    def missing(self) -> Mapping[Place, int]:
        """Where how many wanted pods are not bound."""
        lacking = {place: count - self.bound.get(place, 0) for place, count in self.wanted.items()}
        return {place: count for place, count in lacking.items() if count > 0}

    @property
    def excused(self) -> int:
        """How many wanted pods there are none of any more: those scaled away beyond the unplaced ones.

        A controller without a wanted number, whose planned pods all existed when the plan was made, has none to come
        but those that wait.
        """
        if not self.by_number:
            return max(0, sum(self.missing.values()) - self.pending)
        return max(0, -self.grown - self.unplaced)

    @property
    def may_wait(self) -> int:
        """How many pods may be without a node in the end."""
        return self.unplaced + max(0, self.grown)

    @property
    def misplaced(self) -> int:
        """How many pods stand where the plan does not want that many."""
        return sum(max(0, count - self.wanted.get(place, 0)) for place, count in self.bound.items())

    @cached_property
    def settled(self) -> bool:
        """Whether everybody who still can stands where the plan wants him."""
        there = sum(self.missing.values()) <= self.excused if self.by_number else True
        return there and self.pending <= self.may_wait


def tallies(plan: Plan, now: Cluster) -> Mapping[WorkloadRef, Tally]:
    """Return the tally of each controller of the plan."""
    bound, pending = _count(kinds_of(plan), leaving(plan), now)
    # Grouped once: a plan of hundreds of controllers is looked at several times a second.
    goals, headcounts = dict[WorkloadRef, dict[Place, int]](), dict[WorkloadRef, list[Headcount]]()
    for place, count in wanted(plan).items():
        goals.setdefault(place.kind.controller, {})[place] = count
    for each in plan.headcounts:
        headcounts.setdefault(each.controller, []).append(each)
    losing, workloads = {entry.controller for entry in plan.disruptions}, workloads_by_controller(plan)
    return {
        controller: Tally(
            controller=controller,
            wanted=goals.get(controller, {}),
            bound=bound.get(controller, {}),
            pending=pending[controller],
            unplaced=sum(each.unplaced for each in counted),
            # Headcounts of one controller carry the same number of replicas: that of all its pods.
            grown=growth(counted[0], workloads, now),
            by_number=controller in losing or any(each.replicas is not None for each in counted),
        )
        for controller, counted in headcounts.items()
    }


def _count(
    known: frozenset[Kind], gone: frozenset[str], now: Cluster
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
