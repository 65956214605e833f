"""How many nodes buoyancy may refuse to one pod, and for how long it may refuse all of them."""

import math
from typing import Final

# 0.29 * 100 is 28.999999999999996.
TOLERANCE: Final = 1e-9
EVERY: Final = 1 - TOLERANCE


def most_refusals(asked: int, *, share: float) -> int:
    """Return `maxRefusedNodes` of the names asked for, rounded down."""
    return math.floor(asked * share + TOLERANCE)


def may_empty(*, share: float, hold_over: bool) -> bool:
    """Tell whether the last node left may be refused too: only at 100 %, and only until the pod's hold is over."""
    return share >= EVERY and not hold_over


def hold_left(*, max_hold: float, held_for: float | None, unschedulable_for: float | None) -> float:
    """Return the seconds until a pod's hold is over, 0 where it is; whichever clock started first decides.

    `held_for` counts from the extender's own first refusal of all names (monotonic), `unschedulable_for` from the
    pod's PodScheduled=False transition; None where that has not happened.
    """
    longest = max(held_for or 0.0, unschedulable_for or 0.0)
    return max(0.0, max_hold - longest)
