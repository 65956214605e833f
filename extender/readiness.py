"""Whether this replica may be asked, and what is wrong with it in words; changes nothing."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from extender.rulings import Rulings
from sources.supervising import Health


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """What makes a replica ready, and what is only worth telling.

    `conditions` must all hold (their names are what is said when one does not): watches synced, Lease fresh, not
    stopping. `remarks` tell of trouble that an answer can do without: signals, the policy file, waking. `plan` is the
    version of the plan that is obeyed.
    """

    rulings: Rulings
    health: Health
    conditions: Mapping[str, Callable[[], bool]]
    remarks: Callable[[], Iterable[str]]
    plan: Callable[[], str | None] = lambda: None

    def lacking(self) -> tuple[str, ...]:
        """Name the conditions that do not hold."""
        return tuple(name for name, holds in self.conditions.items() if not holds())

    def report(self) -> dict[str, Any]:
        """Return everything there is to say, for people and for programs."""
        lacking = self.lacking()
        return {
            "ready": not lacking,
            "lacking": list(lacking),
            "policyHash": self.rulings.current.digest,
            "plan": self.plan(),
            "remarks": list(self.remarks()),
            "tasks": {
                name: {"state": task.state.value, "restarts": task.restarts, "detail": task.detail}
                for name, task in sorted(self.health.tasks().items())
            },
        }
