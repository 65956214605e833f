"""Replicas that fall silent, come late into sight or disagree: no eviction rests on what they said before."""

import threading

from descheduler.planning.replicas import Replicas
from policies.values.plans import PlanPhase
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.failures import Failure
from simulator.faults import After, Before, Fail
from tests.descheduler.planning.site import paper, plan_policy
from tests.descheduler.planning.test_replicas import OWN, renew
from tests.descheduler.planning.under_way import in_phase, released, started, two_victims


def test_one_of_two_replicas_that_falls_silent_stops_the_evictions() -> None:
    """It still answers kube-scheduler, and has dropped the plan by now."""
    site = two_victims()
    site.extenders["two"] = type(site.extenders["one"])(site.server, "two")
    process = started(site)

    def silence() -> None:
        site.extenders["two"].dead = True
        site.wait(7)

    site.server.faults.add(After(silence), path="*/eviction")

    result = process.attempt()

    assert (result.outcome, len(site.evictions())) == ("Aborted", 1)
    assert "replica two obeyed the plan and is not seen any more" in result.detail


def test_replica_whose_lease_is_deleted_half_way_stops_the_evictions() -> None:
    site = two_victims()
    site.extenders["two"] = type(site.extenders["one"])(site.server, "two")
    process = started(site)

    def leave() -> None:
        site.extenders["two"].dead = True
        site.server.remove("leases", "bayplan-extender-two", OWN)

    site.server.faults.add(After(leave), path="*/eviction")

    result = process.attempt()

    assert (result.outcome, len(site.evictions())) == ("Aborted", 1)
    assert "replica two obeyed the plan and is not seen any more" in result.detail


def test_replica_that_left_before_it_obeyed_is_missed_by_nobody() -> None:
    site = two_victims()
    site.extenders["two"] = type(site.extenders["one"])(site.server, "two")
    process = started(site)
    site.extenders["two"].dead = True
    site.server.remove("leases", "bayplan-extender-two", OWN)

    assert process.attempt().outcome == "Completed"


def test_change_that_was_not_seen_as_it_happened_proves_no_life(
    server: ApiServer, clock: ManualClock, replicas: Replicas
) -> None:
    """The Lease may have changed right after our last look, long ago: the replica is asked for, and not trusted."""
    renew(server, plan="u/1")
    replicas.look()
    clock.advance(2)
    renew(server, plan="u/1", at=2)
    replicas.look()
    renew(server, plan="u/1", at=4)
    clock.advance(12)
    replicas.look()

    assert replicas.lacking("u/1") is None
    assert replicas.silent("u/1") == "replica one was not seen to renew its Lease lately"
    assert replicas.unsure()


def test_gap_in_the_looks_lets_nobody_be_evicted_under_a_dead_replica() -> None:
    site = two_victims()
    process = started(site)
    other = site.process("b")

    def lapse() -> None:
        """Nobody sees the replica die right after its last renewal, as the process looks at nothing for a while."""
        process.frozen = True
        other.frozen = True
        site.wait(1.9)
        site.extenders["one"].dead = True
        site.wait(7)
        process.frozen = False

    site.server.faults.add(After(lapse), path="*/eviction")

    result = process.attempt()

    assert (result.outcome, len(site.evictions())) == ("Aborted", 1)


def test_answer_that_arrives_after_a_newer_one_revives_nobody(
    server: ApiServer, clock: ManualClock, replicas: Replicas
) -> None:
    renew(server, plan="u/1")
    replicas.look()
    clock.advance(1)
    asked, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        asked.set()
        go_on.wait(10)

    server.faults.add(After(wait), method="GET")
    late = threading.Thread(target=replicas.look)
    late.start()
    asked.wait(10)
    renew(server, plan="u/1", at=1)
    newer = threading.Thread(target=replicas.look)
    newer.start()
    newer.join(0.2)
    go_on.set()
    late.join(20)
    newer.join(20)
    clock.advance(6.5)
    replicas.look()

    assert replicas.silent("u/1") is not None


def test_look_that_fails_keeps_no_other_look_from_being_made(server: ApiServer, replicas: Replicas) -> None:
    renew(server)
    server.faults.add(Before(lambda: None), method="GET")
    server.faults.add(Fail(Failure(500, "InternalError", "no")), method="GET")

    assert [replicas.look() is None for _ in range(3)] == [True, False, True]


def test_plan_that_every_replica_has_dropped_is_not_waited_for() -> None:
    """The process was paused for so long that it lost the plan, but not the lease."""
    site = paper(grace=2, policy=plan_policy(realiseWithin="30s"))
    process = started(site)
    site.scheduler.paused = True

    def pause() -> None:
        process.frozen = True
        site.wait(10.5)
        process.frozen = False

    in_phase(site, PlanPhase.REALISING, pause)

    result = process.attempt()

    assert result.outcome == "Aborted"
    assert result.detail == "replica one dropped the plan"
    released(site)
