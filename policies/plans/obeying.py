"""Which plan an extender obeys, judged by what its watches tell and by its own monotonic clock; tells nobody.

It obeys what the slot names and what it has in that revision, for as long as it sees the slot renewed. A holder that
is silent for too long has lost the plan, whatever clocks say: the plan is dropped and never taken up again.
"""

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Final

from policies.values.plans import Plan, PlanSlot

# The holder renews every 2 s, and evicts only within 2 s of a renewal and within 6 s of ours: 6 + 2 + 2 <= 10.
SILENT_FOR: Final = 10.0
# From our word in the Lease to the end of an eviction that rests on it pass up to 4 s: nobody gets it later than this.
SURE_FOR: Final = 6.0
# What a blocking run may hold everybody for, from the moment that we told of it.
HOLDS_FOR: Final = 2.0
# By then the holder has given up waiting for our word: nobody is held for a plan that nobody follows.
UNTOLD_FOR: Final = 5.0


@dataclass(frozen=True, slots=True)
class Heard:
    """The slot as last seen, and when (monotonic) a renewal was last seen in it."""

    slot: PlanSlot
    at: float

    def again(self, slot: PlanSlot, *, now: float) -> "Heard":
        """Take in the slot as it is now; only another renewal, plan or holder is a sign of life."""
        same = _sign(slot) == _sign(self.slot)
        return Heard(slot, self.at if same else now)

    def silent(self, now: float) -> bool:
        """Tell whether nothing was heard for too long."""
        return now - self.at > SILENT_FOR

    def sure(self, now: float) -> bool:
        """Tell whether a plan that is obeyed now will still be so when an eviction that rests on our word has ended."""
        return now - self.at <= SURE_FOR


@dataclass(frozen=True, slots=True)
class Obeyed:
    """The plan that is in force, since when it is, and since when our Lease says so; monotonic seconds."""

    plan: Plan
    since: float
    told_at: float | None = None

    def told(self, now: float) -> "Obeyed":
        """Note that our Lease shows this plan; the first time counts."""
        return self if self.told_at is not None else replace(self, told_at=now)

    def holds_everybody(self, now: float) -> bool:
        """Tell whether every pod in scope has to wait: while a blocking run computes, and not for long."""
        if self.plan.revision != 0:
            return False
        return now < self.since + UNTOLD_FOR if self.told_at is None else now < self.told_at + HOLDS_FOR


def obey(
    before: Obeyed | None, heard: Heard | None, plan: Plan | None, *, dropped: Container[str], now: float
) -> Obeyed | None:
    """Return which plan is in force now; `plan` is the one that the slot names, as far as it is known.

    Slot and plan come by two watches. Until both tell of the next revision the one before stays in force, so that
    nobody slips through between an empty plan and the one with entries.
    """
    if heard is None or heard.silent(now) or heard.slot.plan is None or heard.slot.plan_uid in dropped:
        return None
    if plan is None or plan.uid != heard.slot.plan_uid or plan.phase.ended or plan.observing:
        return None
    current = before if before is not None and before.plan.uid == plan.uid else None
    if plan.version != heard.slot.version:
        return current
    if current is None or current.plan.version != plan.version:
        return Obeyed(plan, now)
    return replace(current, plan=plan)


def _sign(slot: PlanSlot) -> tuple[object, ...]:
    return slot.version, slot.renewal, slot.holder
