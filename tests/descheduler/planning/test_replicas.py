"""A replica lives while its Lease changes on our own clock; what it shows is what it obeys."""

import pytest

from descheduler.planning.replicas import Replicas
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.failures import Failure
from simulator.faults import Fail
from tests.raw import raw_lease

OWN = "bayplan-system"


def renew(server: ApiServer, name: str = "one", *, plan: str = "", dropped: str = "", at: float = 0.0) -> None:
    notes = {"bayplan.dev/plan": plan, "bayplan.dev/plan-dropped": dropped}
    lease = raw_lease(f"bayplan-extender-{name}", renewTime=str(at))
    lease["metadata"]["annotations"] = notes
    server.put(lease)


def test_other_leases_are_no_replicas(server: ApiServer, replicas: Replicas) -> None:
    server.put(raw_lease("bayplan-descheduler"))

    assert replicas.look() is None

    assert replicas.live() == ()
    assert replicas.lacking("u/1") == "no replica of the extender lives"


def test_lease_that_was_just_found_counts_as_living_but_proves_nothing(server: ApiServer, replicas: Replicas) -> None:
    renew(server, plan="u/1")
    replicas.look()

    assert replicas.lacking("u/1") is None
    assert replicas.silent("u/1") == "replica one was not seen to renew its Lease yet"
    assert replicas.unsure()


def test_lease_that_never_changes_is_a_dead_ones_after_six_seconds(
    server: ApiServer, clock: ManualClock, replicas: Replicas
) -> None:
    renew(server)
    replicas.look()
    clock.advance(6)
    replicas.look()

    assert replicas.live() == ()
    assert not replicas.unsure()


def test_changing_lease_lives_six_seconds_from_its_last_change(
    server: ApiServer, clock: ManualClock, replicas: Replicas
) -> None:
    renew(server, plan="u/1")
    replicas.look()
    clock.advance(2)
    replicas.look()
    renew(server, plan="u/1", at=2)
    replicas.look()

    clock.advance(5.9)
    assert replicas.silent("u/1") is None
    clock.advance(0.1)
    assert replicas.silent("u/1") == "no replica of the extender lives"


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        ({}, "replica two does not show the plan"),
        ({"plan": "u/0"}, "replica two does not show the plan"),
        ({"plan": "u/1", "dropped": "u/1"}, "replica two dropped the plan"),
        ({"plan": "u/1"}, None),
    ],
)
def test_every_live_replica_must_show_the_plan(
    server: ApiServer, replicas: Replicas, shown: dict[str, str], words: str | None
) -> None:
    renew(server, plan="u/1")
    renew(server, "two", plan=shown.get("plan", ""), dropped=shown.get("dropped", ""))
    replicas.look()

    assert replicas.lacking("u/1") == words


def test_plan_is_lost_once_nobody_is_left_who_obeys_it(server: ApiServer, replicas: Replicas) -> None:
    assert replicas.lost("u/1") is None
    renew(server, dropped="u/1")
    renew(server, "two", plan="u/1")
    replicas.look()
    assert replicas.lost("u/1") is None

    renew(server, "two", dropped="u/1")
    replicas.look()
    assert replicas.lost("u/1") == "replica one dropped the plan"


def test_lease_that_is_deleted_is_no_replica_any_more(server: ApiServer, replicas: Replicas) -> None:
    renew(server)
    replicas.look()
    server.remove("leases", "bayplan-extender-one", OWN)
    replicas.look()

    assert replicas.live() == ()


def test_what_cannot_be_listed_stays_as_it_was_and_is_said(
    server: ApiServer, clock: ManualClock, replicas: Replicas
) -> None:
    assert replicas.unsure()
    renew(server, plan="u/1")
    replicas.look()
    server.faults.add(Fail(Failure(500, "InternalError", "no")), method="GET")
    clock.advance(5)

    assert "the replicas' Leases cannot be read: " in str(replicas.look())

    assert replicas.lacking("u/1") is None
