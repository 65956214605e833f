"""The slot is written by version only, by one process at a time, and nobody believes longer than he may."""

import math

import pytest

from descheduler.planning.slot import SlotKeeper, SlotTaken
from policies.values.plans import Plan
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.failures import Failure
from simulator.faults import Before, Fail, LostAnswer, LostRequest
from sources.kube.plans import decode_slot

OWN = "bayplan-system"
PLAN = Plan(name="plan-1", uid="u1", revision=1)


@pytest.fixture
def keeper(server: ApiServer, clock: ManualClock) -> SlotKeeper:
    return SlotKeeper(server.connect("a"), namespace=OWN, holder="a", clock=clock)


def other(server: ApiServer, clock: ManualClock) -> SlotKeeper:
    return SlotKeeper(server.connect("b"), namespace=OWN, holder="b", clock=clock)


def renewal(server: ApiServer) -> int:
    found = server.find("planslots", "active", OWN)
    assert found is not None
    return decode_slot(found).renewal


def test_first_plan_makes_the_slot(keeper: SlotKeeper) -> None:
    keeper.take(PLAN)

    seen = keeper.read()
    assert (seen.plan, seen.version, seen.holder) == ("plan-1", "u1/1", "a")


def test_plan_of_somebody_else_is_not_pushed_out(server: ApiServer, clock: ManualClock, keeper: SlotKeeper) -> None:
    keeper.take(PLAN)

    with pytest.raises(SlotTaken, match="holds the plan plan-1 of a"):
        other(server, clock).take(Plan(name="plan-2", uid="u2"))


def test_next_revision_takes_the_place_of_the_one_before(keeper: SlotKeeper) -> None:
    keeper.take(Plan(name="plan-1", uid="u1", revision=0))

    keeper.take(PLAN)

    assert keeper.read().version == "u1/1"


def test_each_renewal_changes_the_slot_and_counts_from_its_start(
    server: ApiServer, clock: ManualClock, keeper: SlotKeeper
) -> None:
    keeper.take(PLAN)
    before = renewal(server)
    clock.advance(3)
    server.faults.add(Before(lambda: clock.advance(1.5)), method="PUT")

    assert keeper.renew()

    assert renewal(server) == before + 1
    assert keeper.renewed_for() == pytest.approx(1.5)


def test_failed_renewal_confirms_nothing(server: ApiServer, clock: ManualClock, keeper: SlotKeeper) -> None:
    keeper.take(PLAN)
    server.faults.add(Fail(Failure(500, "InternalError", "no")), method="PUT")
    clock.advance(1)

    assert not keeper.renew()

    assert keeper.renewed_for() == pytest.approx(1)
    assert keeper.renew()


def test_lost_answer_of_a_renewal_is_found_out_by_the_next_one(server: ApiServer, keeper: SlotKeeper) -> None:
    keeper.take(PLAN)
    server.faults.add(LostAnswer(), method="PUT")

    assert not keeper.renew()
    assert keeper.renew()

    assert keeper.renewed_for() == 0


def test_slot_that_was_taken_away_is_not_renewed(server: ApiServer, clock: ManualClock, keeper: SlotKeeper) -> None:
    keeper.take(PLAN)
    rival = other(server, clock)
    assert rival.clear(leads=lambda: True).plan == "plan-1"
    rival.take(Plan(name="plan-2", uid="u2"))

    assert not keeper.renew()

    assert keeper.renewed_for() == math.inf
    assert rival.read().plan == "plan-2"


def test_plan_that_was_put_in_by_a_lost_request_is_not_believed(server: ApiServer, keeper: SlotKeeper) -> None:
    server.faults.add(LostRequest(), method="POST")

    with pytest.raises(Exception, match="no answer within"):
        keeper.take(PLAN)

    assert keeper.held is None
    assert keeper.renewed_for() == math.inf


def test_freeing_empties_what_a_lost_answer_left_behind(server: ApiServer, keeper: SlotKeeper) -> None:
    server.faults.add(LostAnswer(), method="POST")
    with pytest.raises(Exception, match="no answer within"):
        keeper.take(PLAN)

    assert keeper.free()

    assert keeper.read().plan is None


def test_freeing_leaves_the_plan_of_somebody_else_alone(
    server: ApiServer, clock: ManualClock, keeper: SlotKeeper
) -> None:
    other(server, clock).take(Plan(name="plan-2", uid="u2"))

    assert keeper.free()

    assert keeper.read().plan == "plan-2"


def test_own_plan_that_stayed_behind_is_pushed_out(server: ApiServer, keeper: SlotKeeper) -> None:
    keeper.take(PLAN)
    server.faults.add(Fail(Failure(500, "InternalError", "no")), method="GET")
    keeper.free()

    keeper.take(Plan(name="plan-2", uid="u2"))

    assert keeper.read().plan == "plan-2"


def test_slot_that_is_not_found_for_a_moment_is_not_taken_for_free(server: ApiServer, keeper: SlotKeeper) -> None:
    keeper.take(PLAN)
    server.faults.add(Fail(Failure(404, "NotFound", "the server could not find the requested resource")))

    assert not keeper.free()

    assert keeper.read().plan == "plan-1"


def test_slot_that_cannot_be_freed_is_not_held_any_more(server: ApiServer, keeper: SlotKeeper) -> None:
    keeper.take(PLAN)
    server.faults.add(Fail(Failure(500, "InternalError", "no")), method="GET")

    assert not keeper.free()

    assert keeper.held is None
    assert not keeper.renew()


def test_clearing_an_empty_slot_writes_nothing(server: ApiServer, keeper: SlotKeeper) -> None:
    assert keeper.clear(leads=lambda: True).plan is None
    assert [call.verb for call in server.calls] == ["get"]
