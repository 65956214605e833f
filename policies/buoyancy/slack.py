"""Slack: the margin of one sample to its objective, as a fraction of that objective; averages nothing.

Normalising by the objective makes one `evictBelow` usable for objectives of any unit. The paper has the idea of
slack, these two formulas are ours (docs/design/buoyancy.md, section 1).
"""

import math

import numpy as np

from policies.values.signals import Floats


def slack_at_most(measured: Floats, objective: float) -> Floats:
    """Return `(objective - measured) / objective` for indicators of which less is better; range (-inf, 1]."""
    return _slack(measured, objective, sign=-1.0)


def slack_at_least(measured: Floats, objective: float) -> Floats:
    """Return `(measured - objective) / objective`, at most 1, for indicators of which more is better."""
    return _slack(measured, objective, sign=1.0)


def _slack(measured: Floats, objective: float, *, sign: float) -> Floats:
    """Divide and clip at 1; what does not come out finite is NaN: no sample.

    An objective that is not a positive number has no fraction, so that every sample of it is NaN.
    """
    if not (math.isfinite(objective) and objective > 0):
        return np.full(np.shape(measured), np.nan)
    with np.errstate(over="ignore"):  # enormous values may overflow to infinity, which the next line blanks
        slack = sign * (measured - objective) / objective
    return np.where(np.isfinite(slack), np.minimum(1.0, slack), np.nan)
