"""The paper's plan under way: its cluster at each moment, and what is said of its progress."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from policies.plans.converging import Progress, progress
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from policies.values.pods import Pod
from policies.values.workloads import Workload
from tests.builders import make_cluster, make_node, make_pod, make_workload
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan, with_pods

BEFORE = the_paper()
VICTIM, BIG = BEFORE.pods["uid-web-2"], BEFORE.pods["uid-big-0"]
ENDING = with_pods(BEFORE, replace(VICTIM, terminating=True))
GONE = with_pods(BEFORE, without=("web-2",))
WAITING = with_pods(GONE, make_pod("web-x", node=None, cpu=400))
BIG_BOUND = with_pods(WAITING, replace(BIG, node="n2"))
ALL_BOUND = with_pods(BIG_BOUND, make_pod("web-x", node="n1", cpu=400))


def seen(now: Cluster, plan: Plan | None = None, before: Cluster | None = None) -> Progress:
    """Return the progress of the paper's plan on a cluster."""
    return progress(plan or the_papers_plan(), now, before=before or BEFORE)


def scaled(cluster: Cluster, name: str, wanted: int | None) -> Cluster:
    """Return a cluster with a Deployment of another size, None where it is gone."""
    rest = {ref: workload for ref, workload in cluster.workloads.items() if ref.name != name}
    found: Mapping[Any, Workload] = {} if wanted is None else {(w := make_workload(name, wanted=wanted)).ref: w}
    return replace(cluster, workloads={**rest, **found})


def pinned() -> tuple[Plan, Cluster]:
    """Return a plan that places a bare pod on n1."""
    before = make_cluster([make_node("n1"), make_node("n2")], [make_pod("bare", node=None, owner=None)])
    return make_plan(before, place={"bare": "n1"}), before


def bare(**changes: Any) -> Pod:
    """Return that pod on its node."""
    defaults: dict[str, Any] = {"name": "bare", "owner": None, "node": "n1"}
    return make_pod(**(defaults | changes))
