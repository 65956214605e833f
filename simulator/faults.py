"""Faults on request: what a call meets instead of, or around, its effect; which call is said by patterns."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Protocol

from simulator.calls import Call
from simulator.clock import ManualClock
from simulator.failures import Failure
from sources.kube.api import Answer
from sources.kube.errors import TimedOut, Unreachable

Serve = Callable[[], Answer]
"""Carries out the call and gives its answer."""


class Fault(Protocol):
    """What one call meets."""

    def meet(self, call: Call, serve: Serve, *, clock: ManualClock, timeout: float) -> Answer:
        """Answer in place of the server, which `serve` is, or raise what the client would see."""
        ...


@dataclass(frozen=True, slots=True)
class Fail:
    """The server refuses with this answer and does nothing."""

    failure: Failure

    def meet(self, call: Call, serve: Serve, *, clock: ManualClock, timeout: float) -> Answer:  # noqa: ARG002
        """Refuse."""
        raise self.failure


@dataclass(frozen=True, slots=True)
class Unconnected:
    """No connection: nothing reaches the server."""

    def meet(self, call: Call, serve: Serve, *, clock: ManualClock, timeout: float) -> Answer:  # noqa: ARG002
        """Refuse the connection."""
        raise Unreachable(f"{call.method} {call.path}: connection refused")


@dataclass(frozen=True, slots=True)
class LostAnswer:
    """The call takes effect, its answer never arrives; the client waits for its whole timeout."""

    def meet(self, call: Call, serve: Serve, *, clock: ManualClock, timeout: float) -> Answer:
        """Serve, and keep the answer."""
        serve()
        clock.advance(timeout)
        raise TimedOut(f"{call.method} {call.path}: no answer within {timeout} s")


@dataclass(frozen=True, slots=True)
class LostRequest:
    """The call has no effect and no answer; the client cannot tell it from a lost answer."""

    def meet(self, call: Call, serve: Serve, *, clock: ManualClock, timeout: float) -> Answer:  # noqa: ARG002
        """Keep silent."""
        clock.advance(timeout)
        raise TimedOut(f"{call.method} {call.path}: no answer within {timeout} s")


@dataclass(frozen=True, slots=True)
class Delayed:
    """The call takes `seconds` of the clock. Beyond the client's timeout it still takes effect, at its own moment."""

    seconds: float

    def meet(self, call: Call, serve: Serve, *, clock: ManualClock, timeout: float) -> Answer:
        """Serve late."""
        if self.seconds < timeout:
            clock.advance(self.seconds)
            return serve()
        clock.call_after(self.seconds, lambda: _served_for_nobody(serve))
        clock.advance(timeout)
        raise TimedOut(f"{call.method} {call.path}: no answer within {timeout} s")


@dataclass(frozen=True, slots=True)
class Before:
    """Something else happens just before the call takes effect: another process acts, a pod comes back."""

    happen: Callable[[], object]

    def meet(self, call: Call, serve: Serve, *, clock: ManualClock, timeout: float) -> Answer:  # noqa: ARG002
        """Let it happen, then serve."""
        self.happen()
        return serve()


@dataclass(frozen=True, slots=True)
class After:
    """Something else happens after the effect and before the client has the answer: it may raise, as a crash does."""

    happen: Callable[[], object]

    def meet(self, call: Call, serve: Serve, *, clock: ManualClock, timeout: float) -> Answer:  # noqa: ARG002
        """Serve, then let it happen."""
        answer = serve()
        self.happen()
        return answer


def _served_for_nobody(serve: Serve) -> None:
    try:
        serve()
    except Failure:
        return  # the client that asked is gone


@dataclass(slots=True, kw_only=True)
class _Order:
    fault: Fault
    method: str
    path: str
    user: str
    left: float


class Faults:
    """Faults in waiting, the oldest matching one first; safe to use from any thread."""

    def __init__(self) -> None:
        self._orders: list[_Order] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault, *, method: str = "*", path: str = "*", user: str = "*", times: float = 1) -> None:
        """Let the next `times` calls that match the patterns (as of `fnmatch`) meet a fault; `inf` for all of them.

        A watch is `method="WATCH"`: its fault meets the opening of the stream.
        """
        with self._lock:
            self._orders.append(_Order(fault=fault, method=method, path=path, user=user, left=times))

    def clear(self) -> None:
        """Heal everything."""
        with self._lock:
            self._orders.clear()

    def take(self, call: Call) -> Fault | None:
        """Return the fault that this call meets, and count it."""
        method = "WATCH" if call.verb == "watch" else call.method
        with self._lock:
            for order in self._orders:
                named = fnmatchcase(method, order.method) and fnmatchcase(call.path, order.path)
                if order.left > 0 and named and fnmatchcase(call.user, order.user):
                    order.left -= 1
                    return order.fault
        return None
