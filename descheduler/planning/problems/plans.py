"""A solution as a plan that both services obey: entries in the order of their steps, quotas, reasons for people.

It carries nothing out, and judges nothing: the checker has done that, and does it again where a plan is cut short.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from descheduler.optimiser import vectors
from descheduler.optimiser.checking import check
from descheduler.optimiser.opening import options_of
from descheduler.optimiser.solution import Assignment, Solution
from descheduler.planning.problems.building import Built
from descheduler.planning.problems.headcounts import counts
from descheduler.planning.problems.reasons import Reasons
from descheduler.planning.problems.steps import steps
from policies.plans.quotas import kind_of
from policies.values.plans import Plan, PlanAction, PlanEntry
from policies.values.refusals import Refusal, Scope
from policies.values.workloads import WorkloadRef
from sources.kube.plans import MOST_ENTRIES, oversize

PLAN_SIZE: Final = "plan-size"


def to_plan(built: Built, solution: Solution, template: Plan) -> Plan | Refusal:
    """Return the plan of a solution, without entries where nothing is to be done.

    `template` gives everything that the solution does not: name, trigger, hold and the like. Of a plan that is too
    large for one object the last placements are left to another one; where that does not help it is refused.
    """
    plan = _plan(built, solution.assignment, replace(template, vector=dict(solution.vector)))
    too_large = oversize(plan, built.situation.own_namespace)
    return plan if too_large is None else _cut(built, solution, template, too_large)


def _plan(built: Built, assignment: Assignment, template: Plan) -> Plan:
    entries = tuple(_entries(built, assignment))
    kinds = {kind for entry in entries if (kind := kind_of(built.situation.cluster.pods[entry.uid])) is not None}
    quotas, headcounts = counts(built, assignment, kinds)
    return replace(template, entries=entries, quotas=quotas, headcounts=headcounts)


def _cut(built: Built, solution: Solution, template: Plan, too_large: str) -> Plan | Refusal:
    """Return the plan without the placements that come last, as many as it needs to fit; what is left must be valid."""
    order = steps(built.problem, solution.assignment)
    room = MOST_ENTRIES - len(order.disruptions)
    while room > 0:
        shorter = _without(solution.assignment, order.placements[room:])
        vector = _vector(built, shorter)
        plan = None if vector is None else _plan(built, shorter, replace(template, vector=vector))
        if plan is not None and oversize(plan, built.situation.own_namespace) is None:
            return plan
        room = min(room, len(order.placements)) * 3 // 4
    return Refusal(PLAN_SIZE, f"the plan is too large for one object: {too_large}", Scope.CLUSTER)


def _without(assignment: Assignment, items: tuple[int, ...]) -> Assignment:
    gone = set(items)
    return tuple(None if at in gone else place for at, place in enumerate(assignment))


def _vector(built: Built, assignment: Assignment) -> dict[str, int] | None:
    """Return the vector of an assignment, None where it is not valid."""
    options = options_of(built.situation.policy.plan)
    if check(built.problem, assignment, options):
        return None
    return vectors.vector_of(built.problem, assignment, options)


def _entries(built: Built, assignment: Assignment) -> Iterator[PlanEntry]:
    order = steps(built.problem, assignment)
    reasons = Reasons.of(built, assignment, order)
    for at in order.disruptions:
        action = PlanAction.EVICT if assignment[at] is None else PlanAction.MOVE
        yield _entry(built, assignment, at, action=action, reason=reasons.of_disruption(at))
    for at in order.placements:
        yield _entry(built, assignment, at, action=PlanAction.PLACE, reason=reasons.of_placement(at))


def _entry(built: Built, assignment: Assignment, at: int, *, action: PlanAction, reason: str) -> PlanEntry:
    pod, target = built.pods[at], assignment[at]
    owner = pod.owner
    return PlanEntry(
        action=action,
        namespace=pod.namespace,
        pod=pod.name,
        uid=pod.uid,
        source=pod.node,
        target=None if target is None else built.nodes[target],
        workload=built.situation.cluster.workload_of.get(pod.uid),
        controller=None if owner is None else WorkloadRef(owner.kind, pod.namespace, owner.name),
        requests=pod.requests,
        host_ports=pod.constraints.host_ports,
        priority=pod.priority,
        grace_seconds=pod.grace_seconds,
        reason=reason,
    )
