"""The paper's example on a real control plane: a pod that fits nowhere gets its place by one move.

Node 1 has pod1 (0.4 cores), node 2 has pod2 (0.3) and pod3 (0.4); pod4 (0.7) waits. Each node has one core.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from controlplane.waiting import wait_until
from tests.e2e.planning import Lot, Planning, small

# What is promised: from the moment that the victim is gone to the binding.
WITHIN = 1.0


@dataclass(frozen=True)
class Variant:
    """`floor` None is the policy's default; pod3 has one replica here, and `more` on full nodes elsewhere."""

    floor: int | None = 0
    kind: str = "Deployment"
    bare: bool = False
    more: int = 0


VARIANTS = {
    "as-in-the-paper": Variant(),
    "three-replicas-and-the-default-floor": Variant(floor=None, more=2),
    "a-bare-pod-waits": Variant(bare=True),
    "stateful-sets": Variant(kind="StatefulSet"),
}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_one_move_makes_room(plans: Planning, variant: Variant, record_property: Callable[[str, object], None]) -> None:
    policy = plans.policy(eviction={} if variant.floor is None else {"minReadyReplicas": variant.floor})
    plans.rules = plans.floor(1 if variant.floor is None else variant.floor)
    extender, descheduler = plans.launch_extender(policy), plans.launch_descheduler(policy)
    first, second, *others = plans.scene.nodes(2 + variant.more, small())
    plans.lay_out(
        Lot(name="pod1", cpu="400m", nodes=[first]),
        Lot(name="pod2", cpu="300m", nodes=[second]),
        Lot(name="pod3", cpu="400m", nodes=[second, *others], kind=variant.kind),
        *(Lot(name=f"full-{number}", cpu="600m", nodes=[node]) for number, node in enumerate(others)),
    )
    plans.keep("pod3", healthy=variant.more)
    (victim,) = (pod["metadata"]["name"] for pod in plans.scene.pods("pod3") if pod["spec"]["nodeName"] == second)
    plans.serve(extender)
    descheduler.program.wait_ready()

    if variant.bare:
        plans.pod("pod4", "700m")
    else:
        plans.workload("pod4", 1, "700m", kind=variant.kind)
    plan = plans.wait_end()

    assert plans.told_of(plan) == ("Completed", {"place": [second], "move": [first]})
    assert plans.evicted() == [victim]
    plans.wait_on("pod3", first, *others)
    plans.wait_on("pod4", second)
    gone = plans.gone_at(victim)
    bound = {app: plans.bound_at(app)[-1] - gone for app in ("pod3", "pod4")}
    record_property("seconds_from_the_victims_end_to_bound", {app: round(at, 3) for app, at in bound.items()})
    waited = plans.bound_at("pod4")[-1] - plans.refused_at("pod4")
    record_property("seconds_from_unschedulable_to_bound", round(waited, 2))
    assert max(bound.values()) <= WITHIN
    assert plans.witness.judge(plans.rules).budgets_judged == 1
    wait_until(lambda: plans.plans()[-1]["status"]["moved"] == "1/1", "the status of the plan", seen=plans.told)
    plans.wait_released()
