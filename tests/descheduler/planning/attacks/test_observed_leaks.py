"""What an observing plan leaves behind: nothing of it may count, hold or hinder once plans are carried out."""

from tests.descheduler.planning.site import paper, plan_policy
from tests.descheduler.planning.under_way import started

LIMITS = [{"scope": scope, "max": 1, "window": "10m"} for scope in ("cluster", "node", "workload")]


def test_observed_evictions_use_up_no_limit_and_no_cool_down_of_real_ones() -> None:
    strict = {"limits": LIMITS, "coolDown": {"initial": "1h"}}
    site = paper(policy=plan_policy(mode="observe", eviction=strict), policy_hash="watching")
    process = started(site)
    assert process.attempt().outcome == "observed"
    assert site.records() == {"observed-uid-pod3-0": "Observed"}
    site.policy, site.policy_hash = plan_policy(eviction=strict), "acting"

    assert process.attempt().outcome == "Completed"

    assert site.evictions() == ["pod3-0"]
    assert site.records() == {"observed-uid-pod3-0": "Observed", "uid-pod3-0": "Accepted"}


def test_observed_plan_is_obeyed_by_nobody_and_takes_no_slot() -> None:
    site = paper(policy=plan_policy(mode="observe"))
    process = started(site)

    process.attempt()
    site.wait(3)

    assert [str(call) for call in site.server.calls if call.resource == "planslots" and call.verb != "get"] == []
    assert all(not replica.history for replica in site.extenders.values())


def test_policy_that_falls_back_to_observing_half_way_evicts_nobody() -> None:
    site = paper()
    process = started(site)

    def observe() -> None:
        site.policy, site.policy_hash = plan_policy(mode="observe"), "watching"

    site.clock.call_after(1.0, observe)

    assert process.attempt().outcome == "Aborted"
    assert site.evictions() == []
