"""Soft limits: the average slack of pods or workloads over time, and whether its breach lasts; evicts nobody.

A soft limit blows like a fuse: a small breach is borne for a while, a large one at once, a lasting one ends in trouble.
"""

from dataclasses import dataclass

import numpy as np

from policies.buoyancy.averages import average_slack, samples_kept, samples_wanted
from policies.buoyancy.debounce import Trigger, in_trouble, says_yes
from policies.buoyancy.slack import slack_at_least, slack_at_most
from policies.buoyancy.tolerance import Flags
from policies.values.signals import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftLimit:
    """An objective in the indicator's unit, its window in seconds, and when the average slack means trouble."""

    objective: float
    more_is_better: bool
    window: float
    trigger: Trigger


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Samples:
    """Indicator values, N x T, at evaluation times `step` apart (Unix seconds).

    Samples before `since` (by row) are not usable: the pod was not ready yet. Evaluations before `judged_from` (by
    row) say nothing: its node was another one then, as somebody was evicted from it since.
    """

    values: Floats
    times: Floats
    step: float
    since: Floats
    judged_from: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verdicts:
    """By row: `s_bar` at the newest evaluation (NaN unknown), whether its breach lasts, whether it breaches now.

    `breaching` asks for a newest sample that is itself usable: an average of older samples is no proof for now.
    """

    average: Floats
    trouble: Flags
    breaching: Flags


def slacks_of(values: Floats, limit: SoftLimit) -> Floats:
    """Return the slack of every sample."""
    slack = slack_at_least if limit.more_is_better else slack_at_most
    return slack(values, limit.objective)


def judge(samples: Samples, limit: SoftLimit) -> Verdicts:
    """Return how every row stands against a soft limit."""
    rows, columns = samples.values.shape
    if not columns:
        nothing = np.zeros(rows, dtype=np.bool_)
        return Verdicts(average=np.full(rows, np.nan), trouble=nothing, breaching=nothing)
    usable = samples.times >= samples.since[:, None]
    slack = np.where(usable, slacks_of(samples.values, limit), np.nan)
    wanted, kept = samples_wanted(limit.window, samples.step), samples_kept(limit.window, samples.step)
    average = average_slack(slack, wanted=wanted, kept=kept)
    judged = np.where(samples.times >= samples.judged_from[:, None], average, np.nan)
    return Verdicts(
        average=average[:, -1],
        trouble=in_trouble(judged, limit.trigger),
        breaching=says_yes(judged, limit.trigger) & np.isfinite(slack[:, -1]),
    )
