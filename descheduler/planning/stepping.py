"""The disruptions of a plan in their order, and what is waited for between two of them; the first failure ends it.

A step for somebody who is gone is no failure: it is left out.
"""

import logging
from functools import partial
from typing import Final

from descheduler.planning.ending import Stay, overtaken
from descheduler.planning.evicting import Evictions
from descheduler.planning.guarding import patiently
from descheduler.planning.journal import Journal
from descheduler.planning.waiting import Watch
from policies.plans.converging import Progress
from policies.plans.gains import left_by_itself
from policies.plans.validating import NO_GAIN
from policies.values.clusters import Cluster
from policies.values.plans import PlanEntry
from sources.kube import errors

_LOG: Final = logging.getLogger(__name__)
_POLL: Final = 0.25
_SEEN_WITHIN: Final = 2.0
_NEWCOMERS: Final = 3.0  # a replica renews its Lease every 2 s


class Steps:
    """Takes the steps of one plan."""

    def __init__(self, watch: Watch, journal: Journal) -> None:
        self._watch = watch
        self._journal = journal
        self._tools = watch.guard.tools
        self._evictions = Evictions(self._tools, watch.guard.plan, watch.loaded, guard=watch.guard)

    def take(self) -> Stay | None:
        """Evict one pod after the other; the reason at the first that fails or is bypassed."""
        steps = self._watch.guard.plan.disruptions
        for step in steps:
            stay = patiently(self._tools, partial(self._evict, step))
            if stay is not None and stay.word == NO_GAIN:
                _LOG.info("plan %s goes on without a step: %s", self._watch.guard.plan.name, stay.reason)
                continue
            if stay is None:
                progress = self._until_seen(step)
                self._journal.show(progress)
                unseen = step in progress.standing and step is not steps[-1]
                stay = patiently(self._tools, partial(self._silent_sight, step)) if unseen else None
            if stay is not None:
                return stay
        return None

    def _evict(self, step: PlanEntry) -> Stay | None:
        self._let_newcomers_renew()
        cluster, progress = self._watch.look()
        # Asked before anything is written for the step, and once more right before the call.
        stay = (
            overtaken(progress)
            or self._watch.guard.asked()
            or self._scaled_away(step, cluster)
            or self._evictions.evict(step, cluster.pods.get(step.uid))
        )
        if stay is None:
            self._watch.evicted_at[step.uid] = self._tools.clock.monotonic()
            self._tools.metrics.evicted(step.action)
        return stay

    def _scaled_away(self, step: PlanEntry, cluster: Cluster) -> Stay | None:
        if not left_by_itself(self._watch.guard.plan, step, cluster):
            return None
        return Stay(word=NO_GAIN, reason=f"{step} was scaled away")

    def _let_newcomers_renew(self) -> None:
        """Wait until a replica that has just started renews its Lease: one that stands still proves nothing."""
        ends = self._tools.clock.monotonic() + _NEWCOMERS
        while self._tools.replicas.unsure() and self._tools.clock.monotonic() < ends:
            self._tools.pause(_POLL)
            self._tools.replicas.look()

    def _until_seen(self, step: PlanEntry) -> Progress:
        """Wait until the eviction shows, so that the next step does not count its pod as standing."""
        ends = self._tools.clock.monotonic() + _SEEN_WITHIN
        while True:
            _, progress = self._watch.look()
            late = self._tools.clock.monotonic() >= ends
            if late or step not in progress.standing or self._tools.pause(_POLL / 5):
                return progress

    def _silent_sight(self, step: PlanEntry) -> Stay | None:
        """Say why the next eviction must not rest on what we see: the last one has happened, and does not show.

        One that goes on in the background (a virtual machine's) shows in no list either.
        """
        if step not in self._watch.look()[1].standing:
            return None
        try:
            happened = step not in self._watch.progress(self._tools.sight.consistent()).standing
        except errors.ApiError as error:
            return Stay(word="unreadable", reason=f"the cluster could not be read again: {error}", passing=True)
        text = f"the watch of pods does not show the eviction of {step} after {_SEEN_WITHIN:.0f} s"
        return Stay(word="unreadable", reason=text, passing=True) if happened else None
