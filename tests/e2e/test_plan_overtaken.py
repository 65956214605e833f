"""What an installed plan stands on goes or changes right before it evicts: it says so, or goes on where it still holds.

The descheduler stands still between the validation and its first eviction, and goes on when the change is made.
"""

from collections.abc import Callable

import pytest

from controlplane.waiting import wait_until
from launching.services import Service
from tests.e2e import doubling
from tests.e2e.disks import Disks, lay_out
from tests.e2e.doubling import Pair
from tests.e2e.elsewhere import Elsewhere
from tests.e2e.plan_sights import phase_of, reason_of
from tests.e2e.planning import Planning
from tests.e2e.scenes import node_of
from tests.e2e.stopping import wait_stopped

MOMENT = "stop-before:Evicting"


@pytest.mark.parametrize("again", [False, True], ids=["deleted", "deleted-and-made-again"])
def test_the_namespace_of_the_pod_that_waits(
    plans: Planning, *, again: bool, record_property: Callable[[str, object], None]
) -> None:
    elsewhere = Elsewhere(plans)
    elsewhere.make()
    pair, descheduler = _with_the_late_pod(plans, elsewhere)
    wait_stopped(descheduler.program)

    elsewhere.drop()
    if again:
        elsewhere.wait_gone()
        elsewhere.make()
        elsewhere.workload(pair.late, "700m", **pair.where)
    descheduler.program.resume()
    plan = plans.wait_end()

    plans.wait_released()
    record_property("end", f"{phase_of(plan)}: {reason_of(plan)}")
    assert plans.wait_told(plan) == reason_of(plan)
    if again:
        # One of the same kind waits again, so the plan holds; but its making takes about as long as a Lease is trusted.
        assert (phase_of(plan), len(plans.evicted())) in {("Completed", 1), ("Aborted", 0)}
        doubling.room(plans, pair)
        assert node_of(elsewhere.wait_ready()) in (
            {pair.full} if phase_of(plan) == "Completed" else plans.scene.node_names
        )
    else:  # the step for somebody who is gone is left out, and nothing else is left to be done
        assert (phase_of(plan), plan["status"]["placed"], plan["status"]["moved"]) == ("Completed", "0/1", "0/1")
        assert plans.scene.evictions() == []


def _with_the_late_pod(plans: Planning, elsewhere: Elsewhere) -> tuple[Pair, Service]:
    """Set one example up whose late pod is in the other namespace; the plan stops before it evicts."""
    policy = plans.policy(eviction={"minReadyReplicas": 0})
    policy["scope"]["namespaces"]["include"].append(elsewhere.name)
    plans.rules = plans.floor(0)
    extender, descheduler = plans.launch_extender(policy), plans.launch_descheduler(policy, moment=MOMENT)
    (pair,) = doubling.settle(plans, count=1)
    plans.serve(extender)
    descheduler.program.wait_ready()
    elsewhere.workload(pair.late, "700m", **pair.where)
    return pair, descheduler


def test_a_workload_that_is_replaced_under_its_name_is_evicted_no_more(plans: Planning) -> None:
    running = doubling.run(plans, moment=MOMENT)
    wait_stopped(running.descheduler.program)

    _replace(plans, running.pair.moved)
    running.descheduler.program.resume()
    plan = plans.wait_end()

    plans.wait_released()
    assert phase_of(plan) == "Aborted"
    # its pod is gone; and until its controller has seen to it the new one differs from the old one, too
    assert plans.wait_told(plan).endswith((" is gone", "made anew: it was 1 when the plan was made"))
    doubling.all_bound(plans, [running.pair])
    assert plans.scene.evictions() == []


def test_a_budget_that_is_raised(plans: Planning) -> None:
    stage = doubling.set_up(plans, count=1)
    (pair,) = stage.pairs
    plans.keep(pair.moved, healthy=0)
    descheduler = plans.plan_for(stage.policy, moment=MOMENT)
    wait_stopped(descheduler.program)

    # not waited for: until the API server's status follows it allows nothing by itself
    plans.api.patch(plans.budget_path(pair.moved), {"spec": {"minAvailable": 1}})
    descheduler.program.resume()
    plan = plans.wait_end()

    plans.wait_released()
    assert phase_of(plan) == "Aborted"
    assert f"PDB {plans.scene.namespace}/{pair.moved} " in plans.wait_told(plan)
    doubling.all_bound(plans, stage.pairs)
    assert plans.evicted() == []


def test_a_destination_that_can_attach_fewer_volumes(plans: Planning) -> None:
    disks = Disks(plans.scene)
    policy = plans.policy(eviction={"minReadyReplicas": 0})
    extender, descheduler = plans.launch_extender(policy), plans.launch_descheduler(policy, moment=MOMENT)
    first, _ = lay_out(plans, disks)
    disks.limit(first, 2)
    plans.serve(extender)
    descheduler.program.wait_ready()
    plans.workload("waiting", 1, "600m")
    wait_stopped(descheduler.program)

    disks.lower(first, 1)
    descheduler.program.resume()
    plan = plans.wait_end()

    plans.wait_released()
    assert phase_of(plan) == "Aborted"
    assert f"attach-limits: {first} would have 1 volumes of " in plans.wait_told(plan)
    assert plans.scene.evictions() == []
    plans.scene.nodes(1)
    plans.scene.wait_ready("waiting", 1)


def _replace(plans: Planning, app: str) -> None:
    """Delete a Deployment with all that is its, and create another one of its name and its specification."""
    path = plans.workload_path(app)
    spec = plans.api.get(path)["spec"]
    plans.api.delete(path, propagationPolicy="Foreground")
    wait_until(lambda: plans.api.find(path) is None, f"{app} to be gone")
    plans.scene.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": app}, "spec": spec})
