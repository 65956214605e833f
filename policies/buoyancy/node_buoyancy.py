"""Node buoyancy as the filter and as the score take it: headroom, with or without the slack of the node's pods."""

from typing import Literal, TypeAlias

import numpy as np

from policies.values.signals import Floats

IncludeSlack: TypeAlias = Literal["off", "score", "filter"]


def filter_buoyancy(headroom: Floats, slack: Floats, include: IncludeSlack) -> Floats:
    """Return `B_n` for the filter: the minimum with slack under `filter`, else headroom alone. NaN is unknown."""
    return np.fmin(headroom, slack) if include == "filter" else headroom


def score_buoyancy(headroom: Floats, slack: Floats, include: IncludeSlack) -> Floats:
    """Return `B_n` for the score: headroom alone under `off`, else the minimum of what is known of both."""
    return headroom if include == "off" else np.fmin(headroom, slack)
