"""A descheduler that is paused in the middle of its evictions, and goes on when another one leads: it evicts nobody."""

import time
from collections.abc import Callable

from controlplane.waiting import never, wait_until
from tests.e2e import doubling
from tests.e2e.plan_sights import entries_of, phase_of, reason_of
from tests.e2e.planning import Planning
from tests.e2e.stopping import wait_stopped

GOES_ON = 4.0  # what a process that wakes up might still do, it does within a few looks, which are 0.25 s apart


def test_a_paused_leader_that_goes_on_finds_its_plan_closed(
    plans: Planning, record_property: Callable[[str, object], None]
) -> None:
    stage = doubling.set_up(plans)
    first = plans.plan_for(stage.policy, moment="stop-after")
    wait_stopped(first.program)
    paused = time.monotonic()
    plans.plan_for(stage.policy)

    plan = plans.wait_end(timeout=40)
    name = str(plan["metadata"]["name"])
    record_property("seconds_to_the_close", round(time.monotonic() - paused, 1))
    record_property("end", f"{phase_of(plan)}: {reason_of(plan)}")
    # The other one may make a plan of its own now, but with nobody of the one that was closed: they rest.
    (left,) = {entry["pod"] for entry in entries_of(plan) if "source" in entry} - set(plans.evicted())
    first.program.resume()

    never(lambda: left in plans.evicted(), "an eviction by the leader of before", during=GOES_ON)
    assert [reason_of(one) for one in plans.plans() if one["metadata"]["name"] == name] == [reason_of(plan)]
    (told,) = wait_until(lambda: plans.ends_told(name), "the event of the plan's end", timeout=10)
    assert told == reason_of(plan)
    doubling.all_bound(plans, stage.pairs)
    plans.wait_released()
