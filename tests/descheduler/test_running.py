"""Cycles one after the other: the loop survives a failing cycle, the single run ends with what it knows."""

import math
import threading

import pytest

from descheduler.running import NotLeading, Runner
from policies.model.loading import Loaded
from simulator.clock import SteppingEvent
from simulator.failures import Failure
from simulator.faults import Fail, LostAnswer, LostRequest
from sources.kube.errors import Forbidden
from tests.descheduler.cycles import hot
from tests.descheduler.site import Process, Site, policy


def runner(process: Process, *, stop: threading.Event | None = None, interval: float | None = None) -> Runner:
    """Return what runs the cycles of a process."""
    site = process.site
    return Runner(
        cycle=process.cycle,
        keeper=process.keeper,
        elector=process.elector,
        policy=lambda: Loaded(policy=site.policy, hash="abc"),
        metrics=process.metrics,
        clock=site.clock,
        stop=stop or SteppingEvent(site.clock),
        interval=interval,
    )


def test_the_loop_follows_the_policys_step_unless_told_otherwise() -> None:
    site = hot(mode="observe")
    process = site.process()

    runner(process, stop=SteppingEvent(site.clock, stop_at=60)).loop()
    by_step = process.count("cycles_total", result="done")
    runner(process, stop=SteppingEvent(site.clock, stop_at=120), interval=5.0).loop()

    assert (by_step, process.count("cycles_total", result="done")) == (4, 16)


def test_a_cycle_that_fails_ends_nothing_but_itself(caplog: pytest.LogCaptureFixture) -> None:
    site = hot()
    process = site.process()
    site.demands = {"web": 1.5}  # the script of the signals now fails on the pods of `api`

    failed = runner(process).step(Loaded(policy=site.policy, hash="abc"))
    site.demands = {"web": 1.5, "api": 1.0}
    done = runner(process).step(Loaded(policy=site.policy, hash="abc"))

    assert (failed, done is not None) == (None, True)
    assert "the cycle failed, nothing more is evicted in it" in caplog.text
    assert "KeyError: 'api'" in caplog.text
    assert process.count("cycles_total", result="failed") == 1


def test_a_process_that_does_not_lead_stands_by() -> None:
    site = hot()
    site.process("leader")
    process = site.process("standby")

    result = runner(process).step(Loaded(policy=site.policy, hash="abc"))

    assert result is None
    assert (process.count("leader"), process.count("cycles_total", result="standby")) == (0, 1)


def test_an_observing_process_decides_without_leading() -> None:
    site = hot(mode="observe")
    site.process("leader")

    result = runner(site.process("dry")).step(Loaded(policy=site.policy, hash="abc"))

    assert result is not None
    assert [line.kind for line in result.decisions] == ["observed"]


def test_a_single_enforcing_run_without_the_lease_does_nothing() -> None:
    site = hot()
    leader = site.process("leader")
    process = site.process("once")

    class Renewing(SteppingEvent):
        def wait(self, timeout: float | None = None) -> bool:
            leader.elector.step()
            return super().wait(timeout)

    with pytest.raises(NotLeading, match="the lease bayplan-descheduler is held by leader"):
        runner(process, stop=Renewing(site.clock)).once()

    assert site.evictions() == []


def test_a_single_enforcing_run_that_may_not_ask_for_the_lease_says_so() -> None:
    site = hot()
    site.server.faults.add(Fail(Failure(403, "Forbidden", "no leases")), path="*/leases*", times=math.inf)
    process = site.process("once")

    with pytest.raises(Forbidden, match="no leases"):
        runner(process).once()

    assert site.evictions() == []


def test_a_single_run_takes_over_from_a_dead_one() -> None:
    site = hot()
    site.process("killed")

    result = runner(site.process("once")).once()

    assert (site.evictions(), result.leading) == (["web-0"], True)


@pytest.mark.parametrize(
    ("fault", "state", "seconds"), [(LostAnswer(), "Accepted", 10), (LostRequest(), "Refused", 75)]
)
def test_a_single_run_waits_for_what_its_unanswered_call_became(fault: LostAnswer, state: str, seconds: float) -> None:
    site = hot()
    site.server.faults.add(fault, path="*/eviction")
    process = site.process()

    runner(process).once()

    assert site.records()["web-0"]["state"] == state
    assert site.clock.monotonic() <= seconds + 3


def test_a_single_run_that_is_told_to_end_leaves_the_call_open() -> None:
    site = hot()
    site.server.faults.add(LostRequest(), path="*/eviction")

    runner(site.process(), stop=SteppingEvent(site.clock, stop_at=4)).once()

    assert site.records()["web-0"]["state"] == "Unknown"


def test_a_single_run_decides_as_the_loop_does_given_the_same_history() -> None:
    kinds = []
    for single in (True, False):
        site = Site(policy=policy(), demands={"web": 1.5}, others={"n1": 3.0, "rest": -2.0})
        site.add("web", "n1", "rest", "rest")
        each = runner(site.process())
        result = each.once() if single else each.step(Loaded(policy=site.policy, hash="abc"))
        assert result is not None
        kinds.append([(line.kind, line.pod and line.pod.name, line.reason) for line in result.decisions])

    assert kinds[0] == kinds[1] != []
