"""The integer score of a node, 0 to 10, and the neutral one for nodes of which nothing is known; refuses nobody.

`S = min(10, max(1, ceil(10 * B - 1e-9)))` for `B > 0`, else 0. The paper gives the two ranges, the formula is ours.
"""

import math
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from policies.buoyancy.tolerance import TOLERANCE
from policies.values.signals import Floats

HIGHEST: Final = 10


def node_score(buoyancy: float) -> int:
    """Return `S_n` of one node; a buoyancy that is not known (NaN) scores 0, callers use the neutral score there."""
    if not buoyancy > 0:
        return 0
    return min(HIGHEST, max(1, math.ceil(min(1.0, buoyancy) * HIGHEST - TOLERANCE)))


def node_scores(buoyancy: Floats) -> NDArray[np.int64]:
    """Return `S_n` of many nodes, as `node_score` does for one."""
    within = np.clip(np.nan_to_num(buoyancy, nan=0.0), 0.0, 1.0)
    steps = np.maximum(1.0, np.ceil(within * HIGHEST - TOLERANCE))
    return np.where(within > 0, steps, 0).astype(np.int64)


def neutral_score(known: Iterable[int]) -> int:
    """Return the score of unknown nodes: the median of the fully known nodes' scores in the request, 0 without any.

    Between two middle scores the lower one is taken: an unknown node must not win against one that is measured.
    """
    counts = [0] * (HIGHEST + 1)
    for score in known:
        counts[score] += 1
    return median_of_counts(counts)


def median_of_counts(counts: list[int]) -> int:
    """Return the lower median of scores given as the number of nodes with each score; 0 without any."""
    middle = (sum(counts) + 1) // 2
    passed = 0
    for score, count in enumerate(counts):
        passed += count
        if passed >= middle > 0:
            return score
    return 0
