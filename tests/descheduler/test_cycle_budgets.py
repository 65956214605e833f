"""Budgets and cool-downs hold over runs, restarts and intervals."""

import pytest

from simulator.failures import Failure
from simulator.faults import Fail
from tests.descheduler.cycles import TEN_MINUTES, eviction_times, hot, most_within, refusals
from tests.descheduler.site import Site, policy


def test_two_single_runs_share_budgets_and_cool_downs() -> None:
    limits = [{"scope": "cluster", "max": 1, "window": "10m"}]
    site = hot(limits=limits)
    first = site.process("run-1")
    first.run()
    first.elector.release()

    second = site.process("run-2")
    site.others["n1"] = 8.0
    rails = refusals(second, after=90)

    assert site.evictions() == ["web-0"]
    assert set(rails.values()) == {"limits"}
    second.elector.release()
    site.process("run-3").run(after=TEN_MINUTES)
    assert len(site.evictions()) == 2


@pytest.mark.parametrize("interval", [10.0, 300.0])
def test_fc_031_a_faster_loop_and_a_restart_do_not_evict_more(interval: float) -> None:
    limits = [{"scope": "workload", "max": 6, "window": "10m"}]
    site = Site(policy=policy(limits=limits, readyFor="0s", victimsPerNode=5), demands={"web": 0.45}, start_after=0.0)
    site.add("web", *["n1"] * 20)
    site.others["n1"] = 3.0
    site.place = lambda _: "n1"
    site.policy = policy(limits=limits, readyFor="0s", destination="off", netGain="off", minPodAge="0s")
    process = site.process("first")

    began = site.clock.monotonic()
    while site.clock.monotonic() - began < 3000:
        process.run(after=interval)
        if len(site.evictions()) == 4:
            process.elector.release()
            process = site.process("second")

    times = eviction_times(site)
    assert len(times) >= (20 if interval < TEN_MINUTES / 6 else 8)
    assert most_within(times, TEN_MINUTES) <= 6


def test_fc_032_the_second_pod_of_a_workload_waits_until_the_first_ones_replacement_has_been_ready() -> None:
    site = Site(policy=policy(readyFor="30s", minPodAge="0s"), demands={"web": 1.5}, start_after=40.0)
    site.others = {"n1": 8.0, "n2": 0.0, "n3": 0.0, "rest": -3.0}
    site.add("web", "n1", "n1", "rest", "rest")
    process = site.process()

    for _ in range(20):
        process.run(after=5)

    first, second, *_ = eviction_times(site)
    assert second - first >= 70


def test_fc_033_an_eviction_that_never_ends_times_out_and_frees_its_place() -> None:
    text = 'admission webhook "virt" denied the request: Eviction triggered evacuation of VMI "default/web-0"'
    site = hot(landingTimeout="10m")
    site.server.faults.add(Fail(Failure(429, "TooManyRequests", text)), path="*/eviction")
    process = site.process()
    process.run()

    early = refusals(process, after=590)
    process.run(after=15)

    assert early["web-0"] == "recorded"
    assert site.records()["web-0"]["landing"] == "TimedOut"
    assert [where for where, _ in site.events("EvictionTimedOut")] == ["Deployment/web"]
    pod = site.server.find("pods", "web-0")
    assert pod is not None
    assert not pod["metadata"].get("annotations")
    assert process.count("outcomes_total", rule="buoyancy", outcome="TimedOut") == 1


def test_fc_084_an_evacuation_in_the_background_fills_the_nodes_budget() -> None:
    text = 'admission webhook "virt" denied the request: Eviction triggered evacuation of VMI "default/vm"'
    site = hot(limits=[{"scope": "node", "max": 1, "window": "10m"}])
    site.server.faults.add(Fail(Failure(429, "TooManyRequests", text)), path="*/eviction", times=float("inf"))
    process = site.process()

    process.run()
    rails = refusals(process, after=280)

    assert site.evictions() == ["web-0"]
    assert rails == {"web-0": "recorded", "api-0": "limits"}
