"""The paper's example, and small helpers around problems for the tests of this folder."""

from collections.abc import Mapping
from typing import Any

from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Proof, Solution, doing_nothing
from descheduler.planning.problems.building import Built
from policies.model.plan import Plan as PlanPolicy
from policies.model.plan import PlanEviction
from policies.model.policy import Policy
from policies.plans.rails import under_plan
from policies.rails.situation import Situation
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from tests.builders import make_cluster, make_node, make_pod, make_workload

TEMPLATE = Plan(name="plan-1", trigger="periodic", writer="descheduler-0")


def make_policy(*, ready_floor: int = 0, age: float = 0.0, eviction: Any = None, **plan: Any) -> Policy:
    """Return a policy whose plans may move anybody."""
    rails = PlanEviction(min_ready_replicas=ready_floor, min_pod_age=age, **(eviction or {}))
    return Policy(api_version="bayplan.dev/v1alpha1", kind="Policy", plan=PlanPolicy(eviction=rails, **plan))


def make_situation(cluster: Cluster, policy: Policy | None = None, **changes: Any) -> Situation:
    """Return the situation of a cluster under plan rules."""
    defaults: dict[str, Any] = {"cluster": cluster, "policy": policy or make_policy(), "observing": False}
    return under_plan(Situation(**(defaults | changes)))


def paper_cluster() -> Cluster:
    """Return two nodes of 1000m: pod1 with 400m on n1, pod2 and pod3 with 300m and 400m on n2; pod4 wants 700m."""
    pods = [
        make_pod("pod1", node="n1", workload="one", cpu=400),
        make_pod("pod2", node="n2", workload="two", cpu=300),
        make_pod("pod3", node="n2", workload="three", cpu=400),
        make_pod("pod4", node=None, workload="four", cpu=700),
    ]
    workloads = [make_workload(name, wanted=1) for name in ("one", "two", "three", "four")]
    return make_cluster([make_node("n1", cpu=1000), make_node("n2", cpu=1000)], pods, workloads)


def placing(built: Built, **changes: str | None) -> Assignment:
    """Return doing nothing with some pods elsewhere, by name (`web_0` for `web-0`)."""
    places = list(doing_nothing(built.problem))
    for at, pod in enumerate(built.pods):
        name = pod.name.replace("-", "_")
        if name in changes:
            node = changes[name]
            places[at] = None if node is None else built.nodes.index(node)
    return tuple(places)


def solution(assignment: Assignment, vector: Mapping[str, int] | None = None) -> Solution:
    """Return an answer as a solver would give it."""
    return Solution(assignment=assignment, proof=Proof.IMPROVED, solver="test", vector=vector or {})


def eligible(built: Built, name: str) -> list[str]:
    """Name the nodes that a pod may be placed on."""
    at = next(at for at, pod in enumerate(built.pods) if pod.name == name)
    problem: Problem = built.problem
    return [built.nodes[site] for site in problem.eligibility[problem.items[at].eligible]]
