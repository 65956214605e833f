"""Puts a plan into the slot and waits for the extender's replicas; evicts nothing."""

from typing import Final

from descheduler.planning.ending import Stay
from descheduler.planning.guarding import Guard, Hearing
from descheduler.planning.slot import SlotTaken
from descheduler.planning.tooling import Tools
from policies.values.plans import Plan
from sources.kube import errors

ACKNOWLEDGED_WITHIN: Final = 5.0
_GATE_WITHIN: Final = 5.0
_SHOWN_WITHIN: Final = 8.0  # a Lease that stands still for 6 s is a dead one's
_POLL: Final = 0.125
_TRIES: Final = 3
_AGAIN: Final = 0.5
_WAIT: Final = 0.25


def enter(tools: Tools, name: str) -> bool:
    """Enter the gate, waiting a little for a cycle that is evicting."""
    ends = tools.clock.monotonic() + _GATE_WITHIN
    while not tools.gate.enter(name):
        if tools.clock.monotonic() >= ends or tools.pause(_WAIT):
            return False
    return True


def let_replicas_show(tools: Tools) -> None:
    """Wait until a Lease that never changes while we watch is known for that of a dead replica, if none is ever new."""
    ends = tools.clock.monotonic() + _SHOWN_WITHIN
    while tools.replicas.look() is None and tools.replicas.unsure() and tools.clock.monotonic() < ends:
        if tools.pause(_WAIT):
            return


def install(guard: Guard) -> Stay | None:
    """Take the slot and wait until every live replica obeys the plan; why not, where one does not in time."""
    return guard.going() or take(guard.tools, guard.plan) or acknowledged(guard)


def take(tools: Tools, plan: Plan) -> Stay | None:
    """Put a plan into the slot; the reason where that failed, also after a few tries."""
    for left in reversed(range(_TRIES)):
        try:
            tools.slot.take(plan)
        except SlotTaken as taken:
            return Stay(word="slot", reason=str(taken))
        except errors.ApiError as error:
            if not left or tools.pause(_AGAIN):
                return Stay(word="slot", reason=f"the slot could not be taken: {error}")
        else:
            break
    return None


def acknowledged(guard: Guard) -> Stay | None:
    """Wait until every live replica shows the plan; why not, where one does not within 5 s."""
    tools, hearing = guard.tools, Hearing(guard)
    ends = tools.clock.monotonic() + ACKNOWLEDGED_WITHIN
    while True:
        lacking = tools.replicas.look() or tools.replicas.lacking(guard.plan.version)
        stay = guard.going() or hearing.stay()
        if stay is not None or lacking is None:
            return stay
        if tools.clock.monotonic() >= ends:
            late = f"not acknowledged within {ACKNOWLEDGED_WITHIN:.0f} s: {lacking}"
            return Stay(word="not-acknowledged", reason=late)
        tools.pause(_POLL)
