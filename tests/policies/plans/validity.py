"""What tests of the validation of plans share: its words, and the paper's example with changes."""

from dataclasses import replace
from typing import Any

from policies.model.policy import Policy
from policies.plans.validating import invalid
from policies.rails.situation import Situation
from policies.values.clusters import Cluster
from policies.values.pdbs import Pdb
from policies.values.plans import Plan
from policies.values.selectors import LabelSelector, Operator, Requirement
from tests.builders import make_cluster, make_node, make_pod
from tests.policies.plans.plan_builders import the_paper, with_pods
from tests.policies.plans.test_rails import make_plan_policy
from tests.policies.situations import make_situation

BARE = make_pod("bare", node=None, owner=None, cpu=500)


def situation_of(cluster: Cluster, policy: Policy | None = None, **changes: Any) -> Situation:
    """Return an ordinary situation of a cluster; validation puts the rules of plans in force itself."""
    return make_situation(cluster, policy=policy or make_plan_policy(), **changes)


def said(plan: Plan, cluster: Cluster, policy: Policy | None = None, **changes: Any) -> str | None:
    """Return in words why a plan is not valid on a cluster."""
    resting = changes.pop("resting", None)
    refusal = invalid(plan, situation_of(cluster, policy, **changes), resting=resting)
    return None if refusal is None else str(refusal)


def changed(name: str, **changes: Any) -> Cluster:
    """Return the paper's example with one pod changed."""
    cluster = the_paper()
    return with_pods(cluster, replace(cluster.pods[f"uid-{name}"], **changes))


def allows(count: int | None, app: str, name: str = "pdb") -> Pdb:
    """Return a PDB of the pods of one app."""
    selector = LabelSelector((Requirement("app", Operator.IN, (app,)),))
    return Pdb(namespace="default", name=name, selector=selector, disruptions_allowed=count)


def two_moves() -> Cluster:
    """Return two workloads with a pod each on n1 and two more elsewhere, and room on n2."""
    pods = [
        make_pod(f"{name}-{at}", workload=name, node=f"n{at + 1}", labels={"app": name, "team": "a"})
        for name in ("web", "api")
        for at in range(3)
    ]
    return make_cluster([make_node(f"n{at}") for at in (1, 2, 3)], pods)


BOTH = {"web-0": "n2", "api-0": "n3"}
