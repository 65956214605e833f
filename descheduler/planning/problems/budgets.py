"""How many of which items may be disrupted: PDBs, what the ledger leaves of the plan's limits, one pod a workload.

Where nothing is left at all a rail holds the pod already. The floor of Ready replicas needs no row: it is looked at
for each pod by its rail, and a plan takes one pod of a workload at most.
"""

from collections.abc import Iterator
from typing import Final

from descheduler.optimiser.problem import Budget
from descheduler.planning.problems.fates import RULE
from descheduler.planning.problems.layout import Layout, grouped
from policies.budgets.counting import counted
from policies.model.limits import Limit
from policies.rails.pdb import budgets_of, uses_nothing
from policies.values.candidates import Candidate
from policies.values.pods import Pod

_PER_WORKLOAD: Final = 1


def budgets(layout: Layout) -> tuple[Budget, ...]:
    """Return the budgets that can bind: those that allow less than they have members, and less than the whole plan."""
    found = (*_pdbs(layout), *_workloads(layout), *_limits(layout))
    most = most_disruptions(layout)
    return tuple(budget for budget in found if budget.allowed < min(len(budget.members), most))


def most_disruptions(layout: Layout) -> int:
    """Return how many pods the plan may disrupt in all: by its own limit, the cluster's, and the ledger's room."""
    policy = layout.situation.policy
    most = [policy.plan.max_disruptions, policy.eviction.max_records - len(layout.situation.records)]
    nobody = Candidate(pod=Pod(namespace="", name="", uid=""), node="", rule=RULE, reason="")
    limits = [limit for limit in policy.eviction.limits if limit.scope == "cluster"]
    most += [limit.max - len(counted(nobody, limit, layout.situation)) for limit in limits]
    return max(0, min(most))


def _running(layout: Layout) -> Iterator[tuple[int, Pod]]:
    return ((at, pod) for at, pod in enumerate(layout.pods) if pod.node is not None)


def _pdbs(layout: Layout) -> Iterator[Budget]:
    chosen = (
        (pdb, at)
        for at, pod in _running(layout)
        for pdb in budgets_of(pod, layout.situation)
        if not uses_nothing(pod, pdb)
    )
    by_name = {str(pdb): pdb for pdb in layout.cluster.pdbs}
    for name, members in grouped((str(pdb), at) for pdb, at in chosen).items():
        pdb = by_name[name]
        yield Budget(name=f"PDB {name}", members=members, allowed=max(0, pdb.disruptions_allowed or 0))


def _workloads(layout: Layout) -> Iterator[Budget]:
    refs = layout.cluster.workload_of
    for ref, members in grouped((refs[pod.uid], at) for at, pod in _running(layout)).items():
        yield Budget(name=f"one pod of {ref}", members=members, allowed=_PER_WORKLOAD)


def _limits(layout: Layout) -> Iterator[Budget]:
    for limit in layout.situation.policy.eviction.limits:
        if limit.scope not in {"node", "namespace"}:  # a workload's is never less than one pod a plan
            continue
        members = grouped((_member(pod, limit), at) for at, pod in _running(layout))
        for name, group in members.items():
            candidate = _candidate(layout.pods[group[0]])
            left = limit.max - len(counted(candidate, limit, layout.situation))
            yield Budget(name=f"{limit.scope} limit of {name}", members=group, allowed=max(0, left))


def _member(pod: Pod, limit: Limit) -> str:
    return pod.namespace if limit.scope == "namespace" else pod.node or ""


def _candidate(pod: Pod) -> Candidate:
    return Candidate(pod=pod, node=pod.node or "", rule=RULE, reason="")
