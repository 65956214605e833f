"""The names under which a candidate's numbers go into its record, and come back out of it; weighs no evidence."""

from collections.abc import Mapping
from typing import Final

POD_PREFIX: Final = "pod."
NODE_PREFIX: Final = "node."
GRACE: Final = "grace"
DEFAULT_GRACE: Final = 30.0  # the API's own


def evidence(*, node: Mapping[str, float], pod: Mapping[str, float], **figures: float | None) -> dict[str, float]:
    """Return the numbers behind a candidate by name: `R_n`, `R_i` by resource, and single figures that are known."""
    known = {name: figure for name, figure in figures.items() if figure is not None}
    scores = {f"{NODE_PREFIX}{name}": score for name, score in node.items()}
    return known | scores | {f"{POD_PREFIX}{name}": score for name, score in pod.items()}


def grace_in(recorded: Mapping[str, float]) -> float:
    """Return how many seconds an evicted pod had to end, as its record keeps them."""
    return recorded.get(GRACE, DEFAULT_GRACE)


def pod_scores_in(recorded: Mapping[str, float]) -> dict[str, float]:
    """Return the `R_i` of an evicted pod by resource, as its record keeps them."""
    return {name.removeprefix(POD_PREFIX): score for name, score in recorded.items() if name.startswith(POD_PREFIX)}
