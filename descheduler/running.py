"""How cycles follow each other: the loop with its one broad except, and the single run; it evicts nothing itself."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Final

from descheduler.cycle import Cycle
from descheduler.decisions import CycleResult
from descheduler.elector import Elector
from descheduler.ledger import LedgerKeeper
from descheduler.metrics import Metrics
from descheduler.recording import SETTLES_AFTER
from policies.model.loading import Loaded
from sources.clocks import Clock

_LOG: Final = logging.getLogger(__name__)
_SETTLE_EVERY: Final = 5.0


class NotLeading(Exception):  # noqa: N818  # it says what is so
    """Another process holds the Lease, so a single enforcing run does nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Runs cycles under the policy of the moment. `interval` None means the policy's own step."""

    cycle: Cycle
    keeper: LedgerKeeper
    elector: Elector
    policy: Callable[[], Loaded]
    metrics: Metrics
    clock: Clock
    stop: Event
    interval: float | None = None

    def loop(self) -> None:
        """Run cycles until `stop`; a cycle that takes longer than the interval is followed by the next at once."""
        while not self.stop.is_set():
            began = self.clock.monotonic()
            loaded = self.policy()
            self.step(loaded)
            wanted = self.interval if self.interval is not None else loaded.policy.signals.step
            self.stop.wait(max(0.0, wanted - (self.clock.monotonic() - began)))

    def step(self, loaded: Loaded) -> CycleResult | None:
        """Run one cycle of the loop, whatever happens in it; None where it failed or is another process's turn."""
        leads = self.elector.leads()
        self.metrics.leader.set(float(leads))
        if loaded.policy.eviction.mode == "enforce" and not leads:
            self.metrics.cycles.labels("standby").inc()
            return None
        try:
            result = self.cycle.run(loaded)
        except Exception:  # noqa: BLE001  # the cycle boundary: what went wrong ends this cycle, not the process
            _LOG.exception("the cycle failed, nothing more is evicted in it")
            self.metrics.cycles.labels("failed").inc()
            return None
        self.metrics.cycles.labels("done").inc()
        return result

    def once(self) -> CycleResult:
        """Run a single cycle, with the Lease if it can be had, and see our open calls to their end.

        Raises:
            NotLeading: the policy says enforce, and another process holds the Lease.
            ApiError: the policy says enforce, and whether anybody holds the Lease cannot be told.
        """
        loaded = self.policy()
        if not self.elector.take(self.stop.wait) and loaded.policy.eviction.mode == "enforce":
            if self.elector.trouble is not None:
                raise self.elector.trouble
            raise NotLeading(f"the lease {self.elector.terms.name} is held by {self.elector.other or 'nobody yet'}")
        result = self.cycle.run(loaded)
        self._settle()
        return result

    def _settle(self) -> None:
        """Wait for what our unanswered calls became: only the process that made them may refund them."""
        began = self.clock.monotonic()
        while self.keeper.open_calls and self.clock.monotonic() - began < SETTLES_AFTER + _SETTLE_EVERY:
            if self.stop.wait(_SETTLE_EVERY):
                return
            self.cycle.settle()
