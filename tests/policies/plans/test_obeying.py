"""Which plan is in force: what slot and plan agree on, while renewals are seen, and never what was dropped."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.plans.obeying import HOLDS_FOR, SILENT_FOR, UNTOLD_FOR, Heard, Obeyed, obey
from policies.values.plans import Plan, PlanPhase, PlanSlot
from tests.policies.plans.making import make_plan

PLAN = make_plan()
SLOT = PlanSlot(plan="p", plan_uid="u", revision=1, holder="a", renewal=1)
NONE: frozenset[str] = frozenset()


def _obey(
    plan: Plan | None = PLAN,
    slot: PlanSlot = SLOT,
    *,
    before: Obeyed | None = None,
    dropped: frozenset[str] = NONE,
    now: float = 0.0,
) -> Obeyed | None:
    return obey(before, Heard(slot, 0.0), plan, dropped=dropped, now=now)


def test_what_slot_and_plan_agree_on_is_obeyed() -> None:
    assert _obey() == Obeyed(PLAN, 0.0)


@pytest.mark.parametrize(
    ("plan", "slot"),
    [
        (None, SLOT),
        (PLAN, PlanSlot()),
        (replace(PLAN, uid="other"), SLOT),
        (replace(PLAN, revision=0), SLOT),
        (replace(PLAN, phase=PlanPhase.ABORTED), SLOT),
        (replace(PLAN, phase=PlanPhase.COMPLETED), SLOT),
        (replace(PLAN, observing=True), SLOT),
    ],
)
def test_nothing_else_is(plan: Plan | None, slot: PlanSlot) -> None:
    assert _obey(plan, slot) is None
    assert obey(None, None, plan, dropped=NONE, now=0.0) is None


def test_a_dropped_plan_is_never_taken_up_again() -> None:
    assert _obey(dropped=frozenset({"u"})) is None


def test_a_plan_is_in_force_until_its_slot_was_silent_for_ten_seconds() -> None:
    assert _obey(now=SILENT_FOR) is not None
    assert _obey(now=SILENT_FOR + 0.001) is None


def test_our_word_is_good_for_an_eviction_while_four_seconds_are_left() -> None:
    assert Heard(SLOT, 0.0).sure(SILENT_FOR - 4.0)
    assert not Heard(SLOT, 0.0).sure(SILENT_FOR - 3.999)


def test_only_a_renewal_is_a_sign_of_life() -> None:
    heard = Heard(SLOT, 0.0)

    assert heard.again(replace(SLOT, resource_version="9"), now=5.0).at == 0.0
    assert heard.again(replace(SLOT, renewal=2), now=5.0).at == 5.0
    assert heard.again(replace(SLOT, revision=2), now=5.0).at == 5.0


def test_the_empty_plan_stays_in_force_until_slot_and_plan_agree_on_the_next() -> None:
    empty = replace(PLAN, revision=0)
    first = _obey(empty, replace(SLOT, revision=0))
    assert first is not None

    assert _obey(PLAN, replace(SLOT, revision=0), before=first, now=1.0) == first
    assert _obey(empty, SLOT, before=first, now=1.0) == first
    assert _obey(PLAN, SLOT, before=first, now=1.0) == Obeyed(PLAN, 1.0)


def test_a_change_of_phase_is_no_other_plan() -> None:
    before = Obeyed(PLAN, 0.0, told_at=1.0)
    later = replace(PLAN, phase=PlanPhase.REALISING)

    assert _obey(later, before=before, now=3.0) == Obeyed(later, 0.0, told_at=1.0)


def test_another_plan_takes_the_place_of_the_one_before() -> None:
    before = Obeyed(make_plan(uid="old"), 0.0)

    assert _obey(before=before, now=1.0) == Obeyed(PLAN, 1.0)
    assert _obey(replace(PLAN, revision=0), before=before, now=1.0) is None


def test_everybody_is_held_while_a_blocking_run_computes_and_for_two_seconds_at_most() -> None:
    blocking = Obeyed(make_plan(revision=0), 10.0)

    told = blocking.told(11.0)

    assert blocking.holds_everybody(10.0 + UNTOLD_FOR - 0.001)
    assert not blocking.holds_everybody(10.0 + UNTOLD_FOR)
    assert told.told(12.0) == told
    assert told.holds_everybody(11.0 + HOLDS_FOR - 0.001)
    assert not told.holds_everybody(11.0 + HOLDS_FOR)
    assert not Obeyed(PLAN, 10.0).holds_everybody(10.0)


@given(st.lists(st.tuples(st.floats(0, 20), st.booleans()), max_size=10), st.floats(0, 20))
def test_no_plan_outlives_its_renewals(steps: list[tuple[float, bool]], wait: float) -> None:
    now, renewal, renewed_at = 0.0, 1, 0.0
    heard = Heard(SLOT, 0.0)
    for elapsed, renews in steps:
        now += elapsed
        if renews:
            renewal, renewed_at = renewal + 1, now
        heard = heard.again(replace(SLOT, renewal=renewal, resource_version=str(now)), now=now)

    in_force = obey(None, heard, PLAN, dropped=NONE, now=now + wait) is not None

    assert in_force == (now + wait - renewed_at <= SILENT_FOR)
