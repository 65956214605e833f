"""The moving average of slack over the samples of a look-back window; judges no average.

`w = max(1, round(window / step))` samples make an average. Samples older than twice the window are forgotten, and with
fewer than `w` usable ones left the average is unknown: a gap is no sample, and no sample is no evidence.
"""

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from policies.buoyancy.tolerance import TOLERANCE, Flags
from policies.values.signals import Floats


def samples_wanted(window: float, step: float) -> int:
    """Return `w`, the number of samples in a window; 1 makes the limit a hard one. Both in seconds."""
    return max(1, round(window / step))


def samples_kept(window: float, step: float) -> int:
    """Return how many columns back from an evaluation, itself included, are not older than twice the window."""
    return max(samples_wanted(window, step), math.floor(2 * window / step + TOLERANCE) + 1)


def average_slack(slack: Floats, *, wanted: int, kept: int) -> Floats:
    """Return `s_bar` at every evaluation: the mean of the last `wanted` usable samples among the last `kept` columns.

    `slack` is N x T with NaN for a sample that is not usable; so is the answer where the average is unknown.
    """
    averages = np.full(slack.shape, np.nan)
    if slack.size == 0 or kept < wanted:
        return averages
    usable = np.isfinite(slack)
    gaps = ~usable.all(axis=1)
    averages[gaps] = _over_gaps(slack[gaps], usable[gaps], wanted=wanted, kept=kept)
    if slack.shape[1] >= wanted:  # the usual case, and several times as fast
        averages[~gaps, wanted - 1 :] = _means(slack[~gaps], wanted)
    return np.where(np.isfinite(averages), averages, np.nan)


def _over_gaps(slack: Floats, usable: Flags, *, wanted: int, kept: int) -> Floats:
    """Return the averages of rows in which not every sample is usable: older samples stand in for missing ones."""
    rank = np.cumsum(usable, axis=1)  # how many usable samples there are up to each column
    order = np.argsort(~usable, axis=1, kind="stable")  # columns of the usable samples first, oldest first
    packed = np.take_along_axis(np.where(usable, slack, 0.0), order, axis=1)
    first = np.maximum(rank - wanted, 0)  # where in `packed` the oldest sample of the average stands
    oldest = np.take_along_axis(order, first, axis=1)
    in_reach = np.arange(slack.shape[1]) - oldest < kept
    means = _means(packed, wanted)
    mean = np.take_along_axis(means, np.minimum(first, means.shape[1] - 1), axis=1)
    return np.where((rank >= wanted) & in_reach, mean, np.nan)


def _means(packed: Floats, wanted: int) -> Floats:
    """Return the mean of every run of `wanted` neighbours (of all, where there are fewer columns than that)."""
    width = min(wanted, packed.shape[1])
    with np.errstate(over="ignore"):
        sums = sliding_window_view(packed, width, axis=1).sum(axis=2)
    return np.asarray(sums / width, dtype=np.float64)
