"""The process around a plan: told to stop, failing, resting, standing by."""

import pytest

from policies.values.plans import PlanPhase
from simulator.faults import Before
from tests.descheduler.planning.site import paper, plan_policy
from tests.descheduler.planning.under_way import in_phase, released, started


def test_process_that_is_told_to_stop_closes_its_plan() -> None:
    site = paper()
    process = started(site)
    in_phase(site, PlanPhase.EVICTING, process.stop.set)

    result = process.attempt()

    assert (result.outcome, result.detail) == ("Aborted", "the descheduler is ending")
    released(site)


def test_process_that_fails_on_the_way_closes_its_plan() -> None:
    site = paper()
    process = started(site)

    def fail() -> None:
        raise LookupError("no such berth")

    site.server.faults.add(Before(fail), path="*/eviction")

    with pytest.raises(LookupError):
        process.attempt()

    assert site.plan().reason == "the descheduler failed while it carried out the plan"
    released(site)
    with process.gate.single() as refusal:
        assert refusal is None


def test_failed_plan_lets_its_pairs_rest() -> None:
    site = paper()
    process = started(site)
    in_phase(site, PlanPhase.EVICTING, lambda: setattr(site.scheduler, "paused", True))
    assert process.attempt().outcome == "TimedOut"

    (pair,) = process.planner.succession.resting(site.loaded, site.clock.now())
    assert (str(pair[0]), pair[1]) == ("Deployment default/pod3", "n2")


def test_plan_that_cost_nothing_may_be_tried_again_at_once() -> None:
    site = paper()
    process = started(site)
    site.extenders["one"].deaf = True
    assert process.attempt().outcome == "Aborted"
    site.extenders["one"].deaf = False

    assert process.attempt().outcome == "Completed"


def test_floor_of_plans_is_their_own() -> None:
    site = paper(policy=plan_policy(eviction={"minReadyReplicas": 1}))

    result = started(site).attempt()

    computed = result.computed
    assert computed is not None
    assert computed.built is not None
    assert computed.built.fixed["uid-pod3-0"].rail == "ready-floor"


def test_standby_does_nothing() -> None:
    site = paper()
    started(site)
    second = site.process("b")

    assert second.attempt().outcome == "standby"
