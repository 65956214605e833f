"""Scores for the names of a request: `S_n` where a node is measured, neutral where it is not.

Neutral is the median of the fully measured nodes of the request, or 0 for all where there is none, so that a node
is neither sought nor shunned for what is not known of it.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final

from policies.buoyancy.node_score import HIGHEST, median_of_counts
from policies.placement.views import View
from policies.values.pods import Pod

# The same for every node changes nothing; 0 adds nothing to the in-tree scores either.
NOTHING: Final = 0


def decide_prioritize(pod: Pod, names: Collection[str], view: View) -> list[int]:
    """Return an integer in 0..10 for each name, in the order asked."""
    if view.reach.exemption(pod) is not None:
        return [NOTHING] * len(names)
    found = [*map(view.ratings.scores.get, names)]
    if None not in found:
        return found  # type: ignore[return-value]  # the line above has just said so; a copy would cost as much again
    middle = neutral(found)
    capped = view.ratings.capped
    return [
        min(middle, capped.get(name, middle)) if score is None else score
        for name, score in zip(names, found, strict=True)
    ]


def neutral(scores: Iterable[int | None]) -> int:
    """Return the lower median of the scores of the fully measured nodes (None: not one of them), 0 without any."""
    counts = Counter(scores)
    return median_of_counts([counts[score] for score in range(HIGHEST + 1)])
