"""A solution as a plan that both services obey: entries in the order of their steps, quotas, reasons for people.

It carries nothing out, and judges nothing: the checker has done that.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from descheduler.optimiser.solution import Assignment, Solution
from descheduler.planning.problems.building import Built
from descheduler.planning.problems.headcounts import counts
from descheduler.planning.problems.reasons import Reasons
from descheduler.planning.problems.steps import steps
from policies.plans.quotas import kind_of
from policies.values.plans import Plan, PlanAction, PlanEntry
from policies.values.refusals import Refusal, Scope
from policies.values.workloads import WorkloadRef
from sources.kube.plans import oversize

PLAN_SIZE: Final = "plan-size"


def to_plan(built: Built, solution: Solution, template: Plan) -> Plan | Refusal:
    """Return the plan of a solution, without entries where nothing is to be done.

    `template` gives everything that the solution does not: name, trigger, hold and the like. A plan that is too large
    for one object is refused.
    """
    entries = tuple(_entries(built, solution.assignment))
    kinds = {kind for entry in entries if (kind := kind_of(built.situation.cluster.pods[entry.uid])) is not None}
    quotas, headcounts = counts(built, solution.assignment, kinds)
    plan = replace(template, entries=entries, quotas=quotas, headcounts=headcounts, vector=dict(solution.vector))
    too_large = oversize(plan, built.situation.own_namespace)
    if too_large is not None:
        return Refusal(PLAN_SIZE, f"the plan is too large for one object: {too_large}", Scope.CLUSTER)
    return plan


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
