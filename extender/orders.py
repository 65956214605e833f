"""Which plan is in force: slot and plans as watches tell, what was dropped, what our Lease says; judges no pod.

Whoever uses it sees to it that one call is over before the next begins. Times are monotonic seconds.
"""

import logging
from collections.abc import Iterator, Mapping
from typing import Final

from policies.plans.obeying import SILENT_FOR, Heard, Obeyed, obey
from policies.values.plans import Plan, PlanSlot

_LOG = logging.getLogger(__name__)
PLAN: Final = "bayplan.dev/plan"
DROPPED: Final = "bayplan.dev/plan-dropped"
# Of those that were dropped, older ones are named by no slot any more.
_MOST_DROPPED: Final = 50


class Orders:
    """`obeyed` is the plan in force; `dropped` are versions by UID of plan, which no later revision brings back."""

    def __init__(self) -> None:
        self.obeyed: Obeyed | None = None
        self.dropped: dict[str, str] = {}
        self.drops = 0
        self._heard: Heard | None = None
        self._plans: dict[str, Plan] = {}

    @property
    def version(self) -> str | None:
        """The version of the plan in force."""
        return None if self.obeyed is None else self.obeyed.plan.version

    def slot(self, slot: PlanSlot | None, *, now: float) -> None:
        """Take in the slot; None where there is none. A renewal that comes too late brings no plan back."""
        self._drop_silent(now)
        if slot is None:
            self._heard = None
        else:
            self._heard = Heard(slot, now) if self._heard is None else self._heard.again(slot, now=now)

    def plan(self, before: Plan | None, after: Plan | None) -> None:
        """Take in a new, changed or deleted plan."""
        if before is not None:
            self._plans.pop(before.uid, None)
        if after is not None:
            self._plans[after.uid] = after

    def due(self, now: float) -> Obeyed | None:
        """Return which plan is to be in force now; one that was silent for too long is dropped here."""
        self._drop_silent(now)
        plan = None if self._heard is None else self._plans.get(self._heard.slot.plan_uid)
        return obey(self.obeyed, self._heard, plan, dropped=self.dropped, now=now)

    def holds_everybody(self, now: float) -> bool:
        """Tell whether a blocking run holds every pod in scope now."""
        return self.obeyed is not None and self.obeyed.holds_everybody(now)

    def in_force(self, now: float) -> bool:
        """Tell whether the plan is still in force at this moment, whether or not anybody has reviewed it since.

        A plan that the slot names no more binds nobody, also where the next one cannot be taken up.
        """
        obeyed, heard = self.obeyed, self._heard
        named = obeyed is not None and heard is not None and heard.slot.plan_uid == obeyed.plan.uid
        return named and obeyed is not None and obeyed.plan.uid not in self.dropped and not self._silent(obeyed, now)

    def remarks(self) -> Iterator[str]:
        """Say in words what people should know: a plan that was dropped while the slot still names it."""
        heard = self._heard
        if heard is not None and heard.slot.plan is not None and heard.slot.plan_uid in self.dropped:
            yield f"plan {heard.slot.plan} was dropped: its slot was not renewed for over {SILENT_FOR:.0f} s"

    def words(self, *, synced: bool, now: float) -> Mapping[str, str | None]:
        """Return what our Lease is to say, as annotations; a replica that does not know all pods yet has seen no plan.

        Nor does one say so that hears of no renewals: the plan may be dropped before an eviction for it has ended.

        What was dropped is only added: a replica that was restarted finds in its Lease what it must not take up.
        """
        sure = self._heard is not None and self._heard.sure(now)
        words = {PLAN: self.version if synced and sure and self.in_force(now) else None}
        return words | {DROPPED: [*self.dropped.values()][-1]} if self.dropped else words

    def told(self, words: Mapping[str, str | None], lease: Mapping[str, str], *, now: float) -> None:
        """Note what we began to write into our Lease at some time, and what stands there since an earlier life."""
        if self.obeyed is not None and words.get(PLAN) == self.version:
            self.obeyed = self.obeyed.told(now)
        before = lease.get(DROPPED) or ""
        uid = before.partition("/")[0]
        if uid and uid not in self.dropped:
            self.dropped = {uid: before, **self.dropped}

    def _silent(self, obeyed: Obeyed, now: float) -> bool:
        heard = self._heard
        return heard is not None and heard.slot.plan_uid == obeyed.plan.uid and heard.silent(now)

    def _drop_silent(self, now: float) -> None:
        """Drop the plan in force where its renewals have been silent for too long."""
        if self.obeyed is None or not self._silent(self.obeyed, now):
            return
        plan = self.obeyed.plan
        if plan.uid in self.dropped:
            return
        _LOG.warning("plan %s is dropped: its slot was not renewed for too long", plan.name)
        self.dropped = dict([*self.dropped.items(), (plan.uid, plan.version)][-_MOST_DROPPED:])
        self.drops += 1
