"""A crowded fleet: 32 nodes at 97 % of their CPU with what waits, and ten pods that fit nowhere until others move.

Each node has 0.55 cores free and each waiting pod wants one; a pod of 0.45 cores that moves from one node to another
makes room for one of them.
"""

from collections.abc import Callable

from controlplane.waiting import wait_until
from tests.e2e.plan_sights import app_of, entries_of, phase_of
from tests.e2e.planning import Lot, Planning, small
from tests.e2e.scenes import node_of

NODES = 32
WAITING = 10
# Workloads by size: movable ones have one pod on each of two nodes, so that each may lose one.
MOVABLE, BLOCK = "450m", "1166m"
BLOCKS = 6  # a node


def test_what_the_optimiser_places_runs_where_it_was_planned(
    plans: Planning, record_property: Callable[[str, object], None]
) -> None:
    policy = plans.policy(timeLimit="5s")
    extender = plans.launch_extender(policy)
    nodes = plans.scene.nodes(NODES, small("8"))
    plans.lay_out(
        *(Lot(name=f"mover-{number}", cpu=MOVABLE, nodes=nodes[number::16]) for number in range(16)),
        *(Lot(name=f"block-{number}", cpu=BLOCK, nodes=nodes[number % 4 :: 4]) for number in range(4 * BLOCKS)),
    )
    plans.keep(*(f"mover-{number}" for number in range(16)), healthy=1)
    standing = NODES * (1 + BLOCKS)
    plans.serve(extender)
    for number in range(WAITING):
        plans.workload(f"late-{number}", 1, "1")
    wait_until(lambda: all(plans.unschedulable(app) for app in _late()), "every late pod to be refused", timeout=60)

    plans.plan_for(policy)
    wait_until(
        lambda: all(plans.nodes_of(app) for app in _late()), "every late pod to be bound", timeout=90, seen=plans.told
    )
    wait_until(lambda: set(plans.phases()) == {"Completed"}, "every plan to end", timeout=60, seen=plans.told)

    plans.wait_released()
    record_property("plans", [(phase_of(plan), len(entries_of(plan))) for plan in plans.plans()])
    record_property("evictions", len(plans.evicted()))
    for plan in plans.plans():
        _runs_as_planned(plans, plan["spec"]["quotas"])
        placed, moved = (sum(entry["action"] == action for entry in entries_of(plan)) for action in ("place", "move"))
        assert plan["status"]["placed"] == f"{placed}/{placed}"
        assert plan["status"]["moved"] == f"{moved}/{moved}"
    assert plans.witness.judge(plans.rules).budgets_judged == len(plans.evicted())
    assert len(plans.evicted()) <= policy["plan"].get("maxDisruptions", 20)
    bound = sum(bool(node_of(pod)) for pod in plans.scene.pods())
    assert bound == standing + WAITING
    assert extender.metric("bayplan_extender_awaited_pods") == 0


def _late() -> list[str]:
    return [f"late-{number}" for number in range(WAITING)]


def _runs_as_planned(plans: Planning, quotas: list[dict[str, object]]) -> None:
    """Compare each quota with the pods that the API server has on its node; later plans may have moved none of them."""
    pods = plans.scene.pods()
    for quota in quotas:
        controller = quota["controller"]
        assert isinstance(controller, dict)
        owned = [
            pod
            for pod in pods
            if any(owner["name"] == controller["name"] for owner in pod["metadata"].get("ownerReferences", ()))
        ]
        here = [app_of(pod) for pod in owned if node_of(pod) == quota["node"]]
        assert len(here) == quota["wanted"], f"{controller['name']} on {quota['node']}"
