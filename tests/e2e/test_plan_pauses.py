"""A descheduler that is paused in the middle of its evictions, and goes on when another one leads: it evicts nobody."""

import time
from collections.abc import Callable

from controlplane.waiting import wait_until
from tests.e2e import doubling
from tests.e2e.plan_sights import phase_of, reason_of
from tests.e2e.planning import Planning

PAUSE = 30.0
GRACE = 4
GOES_ON = 6.0  # what a process that wakes up might still do, it does within a few looks


def test_a_paused_leader_that_goes_on_finds_its_plan_closed(
    plans: Planning, record_property: Callable[[str, object], None]
) -> None:
    policy = plans.policy(eviction={"minReadyReplicas": 0})
    plans.rules = plans.floor(0)
    pairs = doubling.settle(plans, grace=GRACE)
    plans.extend(policy)
    doubling.late(plans, pairs)
    first = plans.plan_for(policy)
    name = str(plans.wait_phase("Evicting")["metadata"]["name"])
    first.program.pause()
    paused = time.monotonic()
    plans.plan_for(policy)

    plan = plans.wait_end(timeout=40)
    assert plan["metadata"]["name"] == name
    record_property("seconds_to_the_close", round(time.monotonic() - paused, 1))
    record_property("end", f"{phase_of(plan)}: {reason_of(plan)}")
    time.sleep(max(0.0, PAUSE - (time.monotonic() - paused)))
    evicted = plans.evicted()
    first.program.resume()
    time.sleep(GOES_ON)

    assert plans.evicted() == evicted
    assert [reason_of(one) for one in plans.plans() if one["metadata"]["name"] == name] == [reason_of(plan)]
    (told,) = wait_until(lambda: plans.ends_told(name), "the event of the plan's end", timeout=10)
    assert told == reason_of(plan)
    doubling.all_bound(plans, pairs)
    plans.wait_released()
