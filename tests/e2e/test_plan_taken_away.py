"""Somebody deletes what a plan stands on while it is carried out: it ends at once, says so, and lets go of all."""

import time
from collections.abc import Callable

import pytest

from controlplane.waiting import wait_until
from launching.paths import OWN, PLANS, SLOTS
from tests.e2e import doubling
from tests.e2e.planning import Planning

GRACE = 8
AT_ONCE = 3.0  # a second of ours, and what a busy machine adds


def _slot(_plan: str) -> str:
    return f"{SLOTS}/active"


def _plan(plan: str) -> str:
    return f"{PLANS}/{plan}"


@pytest.mark.parametrize(
    ("path", "words"),
    [(_slot, "the slot was deleted"), (_plan, "the plan was deleted")],
    ids=["the-slot", "the-plan"],
)
def test_a_plan_without_its_objects_is_over(
    plans: Planning, path: Callable[[str], str], words: str, record_property: Callable[[str, object], None]
) -> None:
    pair = doubling.run(plans, grace=GRACE).pair
    name = str(plans.wait_phase("Evicting")["metadata"]["name"])
    plans.wait_evicted()

    began = time.monotonic()
    plans.api.delete(path(name))

    (told,) = wait_until(lambda: plans.ends_told(name), "the event of the plan's end", timeout=10, seen=plans.told)
    took = time.monotonic() - began
    record_property("seconds_until_it_was_told", round(took, 2))
    assert told == words
    assert took <= AT_ONCE
    if path is _slot:
        table = plans.scene.plane.kubectl("-n", OWN, "get", "placementplans")
        assert [line for line in table.splitlines() if line.startswith(name) and "Aborted" in line and words in line]
    plans.wait_released()
    doubling.all_bound(plans, [pair])
