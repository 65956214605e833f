"""Single evictions and plans take turns: one lock in the process that says who has it; it acts on nothing."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from policies.values.refusals import Refusal, Scope

PLAN_ACTIVE: Final = "plan-active"


class Gate:
    """Lets either a cycle evict or a plan be carried out."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._plan = ""

    @contextmanager
    def single(self) -> Iterator[Refusal | None]:
        """Enter for single evictions; the refusal, if there is one, is why they must wait."""
        if not self._lock.acquire(blocking=False):
            name = f"the plan {self._plan}" if self._plan else "another cycle"
            yield Refusal(PLAN_ACTIVE, f"{name} is being carried out; single evictions wait for its end", Scope.CLUSTER)
            return
        try:
            yield None
        finally:
            self._lock.release()

    def enter(self, plan: str) -> bool:
        """Enter for a plan; False while a cycle evicts."""
        if not self._lock.acquire(blocking=False):
            return False
        self._plan = plan
        return True

    def leave(self) -> None:
        """Let single evictions go on."""
        self._plan = ""
        self._lock.release()
