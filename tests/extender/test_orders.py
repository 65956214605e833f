"""Which plan a replica obeys, what its Lease says of it, and what it never takes up again."""

from dataclasses import replace

import pytest

from extender.orders import DROPPED, PLAN, Orders
from policies.values.plans import Plan, PlanSlot
from tests.policies.plans.making import make_plan

SLOT = PlanSlot(plan="p", plan_uid="u", revision=1, holder="a", renewal=1)


def _orders(plan: Plan | None = None, slot: PlanSlot = SLOT) -> Orders:
    orders = Orders()
    orders.plan(None, plan or make_plan())
    orders.slot(slot, now=0.0)
    orders.obeyed = orders.due(0.0)
    return orders


def test_a_plan_is_obeyed_and_the_lease_says_so_once_all_pods_are_known() -> None:
    orders = _orders()

    assert orders.version == "u/1"
    assert orders.words(synced=True, now=0.0) == {PLAN: "u/1"}
    assert orders.words(synced=False, now=0.0) == {PLAN: None}


def test_a_plan_that_the_slot_names_no_more_binds_nobody_although_the_next_was_never_taken_up() -> None:
    orders = _orders()

    orders.slot(replace(SLOT, plan="q", plan_uid="v"), now=1.0)
    assert not orders.in_force(1.0)
    orders.slot(None, now=2.0)
    assert not orders.in_force(2.0)


def test_without_a_slot_or_a_plan_none_is() -> None:
    orders = _orders()

    orders.slot(None, now=1.0)
    assert orders.due(1.0) is None
    orders.slot(SLOT, now=1.0)
    assert orders.due(1.0) is not None
    orders.plan(make_plan(), None)
    assert orders.due(1.0) is None
    assert Orders().words(synced=True, now=0.0) == {PLAN: None}


def test_a_silent_slot_loses_its_plan_for_good(caplog: pytest.LogCaptureFixture) -> None:
    orders = _orders()
    assert orders.in_force(10.0)
    assert not orders.in_force(10.1)

    orders.obeyed = orders.due(10.1)
    orders.slot(replace(SLOT, renewal=2), now=10.2)

    assert orders.due(10.2) is None
    assert orders.words(synced=True, now=0.0) == {PLAN: None, DROPPED: "u/1"}
    assert orders.drops == 1
    assert [*orders.remarks()] == ["plan p was dropped: its slot was not renewed for over 10 s"]
    assert "plan p is dropped: its slot was not renewed for too long" in caplog.text


def test_nor_is_a_later_revision_of_it_obeyed() -> None:
    orders = _orders(make_plan(revision=0), replace(SLOT, revision=0))
    orders.obeyed = orders.due(11.0)
    orders.plan(make_plan(revision=0), make_plan())

    orders.slot(replace(SLOT, renewal=9), now=12.0)

    assert orders.due(12.0) is None
    assert orders.words(synced=True, now=0.0)[DROPPED] == "u/0"


def test_the_next_plan_is_obeyed_and_only_the_last_drop_is_told() -> None:
    orders = _orders()
    for uid in ("u", "v"):
        orders.plan(None, make_plan(uid=uid))
        orders.slot(replace(SLOT, plan_uid=uid), now=0.0)
        orders.obeyed = orders.due(0.0)
        orders.obeyed = orders.due(11.0)

    orders.plan(None, make_plan(uid="w"))
    orders.slot(replace(SLOT, plan_uid="w"), now=20.0)
    orders.obeyed = orders.due(20.0)

    assert orders.words(synced=True, now=0.0) == {PLAN: "w/1", DROPPED: "v/1"}
    assert [*orders.remarks()] == []


def test_a_hold_runs_from_the_moment_that_the_lease_says_so() -> None:
    orders = _orders(make_plan(revision=0), replace(SLOT, revision=0))

    orders.told({PLAN: None}, {}, now=1.0)
    assert orders.holds_everybody(4.9)
    orders.told(orders.words(synced=True, now=0.0), {PLAN: "u/0"}, now=2.0)

    assert orders.holds_everybody(3.9)
    assert not orders.holds_everybody(4.0)
    assert not Orders().holds_everybody(0.0)


def test_a_restarted_replica_does_not_take_up_what_it_dropped_before() -> None:
    orders = _orders()

    orders.told({PLAN: "u/1"}, {PLAN: "u/1", DROPPED: "u/1"}, now=1.0)

    assert orders.due(1.0) is None
    assert orders.words(synced=True, now=0.0)[DROPPED] == "u/1"


def test_our_word_is_taken_back_before_an_eviction_that_rests_on_it_could_outlast_the_plan() -> None:
    orders = _orders()

    assert orders.words(synced=True, now=6.0) == {PLAN: "u/1"}
    assert orders.words(synced=True, now=6.1) == {PLAN: None}
    assert orders.in_force(10.0)

    orders.slot(replace(SLOT, renewal=2), now=7.0)
    assert orders.words(synced=True, now=8.0) == {PLAN: "u/1"}


def test_of_the_dropped_fifty_are_remembered() -> None:
    orders = Orders()
    for number in range(60):
        orders.plan(None, make_plan(uid=f"u{number}"))
        orders.slot(replace(SLOT, plan_uid=f"u{number}"), now=0.0)
        orders.obeyed = orders.due(0.0)
        orders.due(11.0)

    assert len(orders.dropped) == 50
    assert orders.words(synced=True, now=0.0)[DROPPED] == "u59/1"


def test_what_was_dropped_in_an_earlier_life_is_out_of_force_at_once() -> None:
    orders = _orders()

    orders.told({PLAN: "u/1"}, {DROPPED: "u/1"}, now=0.0)

    assert not orders.in_force(0.0)
    assert orders.words(synced=True, now=0.0) == {PLAN: None, DROPPED: "u/1"}


def test_one_plan_is_dropped_once() -> None:
    orders = _orders()
    orders.slot(replace(SLOT, renewal=2), now=10.1)
    orders.slot(replace(SLOT, renewal=3), now=30.0)
    orders.due(50.0)

    assert orders.drops == 1
