"""The kill switch of docs/troubleshooting.md between two evictions of a plan: the second one never comes."""

from collections.abc import Callable, Iterator

import pytest

from launching.paths import DEPLOY
from tests.e2e import doubling
from tests.e2e.plan_sights import phase_of, reason_of
from tests.e2e.planning import Planning
from tests.e2e.stopping import wait_stopped

BINDING = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/bayplan-descheduler"


@pytest.fixture
def withdraw(plans: Planning) -> Iterator[Callable[[], None]]:
    """Return what takes the descheduler's cluster-wide rights away; the tests that follow find them again."""
    yield lambda: plans.api.delete(BINDING)
    plans.scene.plane.kubectl("apply", "-f", str(DEPLOY / "common/descheduler-rbac.yaml"))


def test_a_plan_without_its_rights_is_over(
    plans: Planning, withdraw: Callable[[], None], record_property: Callable[[str, object], None]
) -> None:
    stage = doubling.set_up(plans)
    leader = plans.plan_for(stage.policy, moment="stop-after")
    wait_stopped(leader.program)
    (first,) = plans.wait_evicted()

    withdraw()
    leader.program.resume()

    plan = plans.wait_end(timeout=40)
    record_property("end", reason_of(plan))
    assert phase_of(plan) == "Aborted"
    assert "403 Forbidden" in reason_of(plan)
    assert plans.evicted() == [first]
    plans.wait_released()
    doubling.all_bound(plans, stage.pairs)
