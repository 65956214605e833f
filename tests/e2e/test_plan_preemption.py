"""A pod that outranks others on a full cluster: either a plan or kube-scheduler's preemption makes room, never both."""

import time
from collections.abc import Callable

import pytest

from controlplane.waiting import never
from tests.e2e.placing import going, priority
from tests.e2e.planning import Lot, Planning, small

# The extender believes in plans to come once it has seen the leader renew its Lease.
RENEWALS = 5.0


@pytest.mark.parametrize(("before", "planned"), [("20s", True), ("0s", False)], ids=["plan-first", "preemption-first"])
def test_plan_and_preemption_do_not_both_take_victims(
    plans: Planning, *, before: str, planned: bool, record_property: Callable[[str, object], None]
) -> None:
    # One pod has to leave in either case, and there is a place for it; the budget keeps both off the other node.
    policy = plans.policy(eviction={"minReadyReplicas": 0}, beforePreemption=before)
    plans.rules = plans.floor(0)
    extender, descheduler = plans.launch_extender(policy), plans.launch_descheduler(policy)
    full, other = plans.scene.nodes(2, small())
    low = {"priorityClassName": priority(plans.placing, "low")}
    plans.lay_out(
        Lot(name="moved", cpu="400m", nodes=[full], spec=low),
        Lot(name="stays", cpu="300m", nodes=[full], spec=low),
        Lot(name="other", cpu="600m", nodes=[other], spec=low),
    )
    plans.guard("other")
    plans.serve(extender)
    descheduler.program.wait_ready()
    if planned:
        time.sleep(RENEWALS)

    plans.workload("urgent", 1, "700m", priorityClassName=priority(plans.placing, "high"))
    plans.scene.wait_ready("urgent", 1, timeout=60)

    never(lambda: len(going(plans.witness.pods)) > 1, "a second victim", during=3)
    record_property("victims", sorted(going(plans.witness.pods)))
    assert len(plans.evicted()) == (1 if planned else 0)
    assert len(going(plans.witness.pods)) == 1
    plans.wait_on("urgent", full)
    plans.wait_on("moved", other)
