"""The API server's clock, told from the Date headers of its answers; it asks nothing by itself.

Windows and ages compare with times that the server wrote, so "now" must be the server's too. A Date header is cut to
whole seconds: each answer only bounds the difference between the clocks, and many answers narrow it down. The lower
bound is taken, so that "now" is never ahead of the server: a budget's window then ends too late, never too early.
"""

import math
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sources.clocks import Clock, SystemClock
from sources.kube.api import Answer, KubeApi

_CUT: Final = 1.0  # the header's resolution
_DRIFT: Final = 0.0005  # how fast bounds widen with age, in seconds per second: ten times what real clocks drift


class ServerTime:
    """Offset between our steady clock and the server's clock; safe to use from several threads."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._least, self._most, self._as_of = -math.inf, math.inf, 0.0

    @property
    def known(self) -> bool:
        """Whether any answer has told the server's time yet."""
        return math.isfinite(self._least)

    def now(self) -> float:
        """Return Unix seconds by the server's clock; by the machine's until the first answer."""
        return self.clock.monotonic() + self._least if self.known else self.clock.now()

    def latest(self) -> float:
        """Return Unix seconds that the server's clock has not passed yet: what happened by now is not later."""
        return self.clock.monotonic() + self._most if self.known else self.clock.now()

    def monotonic(self) -> float:
        """Return our steady seconds, so that this is a `Clock` whose wall time is the server's."""
        return self.clock.monotonic()

    def observe(self, date: float, *, sent: float, received: float) -> None:
        """Take one Date header, with our monotonic times just before the call and just after it."""
        least, most = date - received, date + _CUT - sent
        with self._lock:
            widened = _DRIFT * max(0.0, received - self._as_of)
            lower, upper = max(self._least - widened, least), min(self._most + widened, most)
            # Bounds that contradict each other mean that a clock was set: only the newest answer counts then.
            self._least, self._most = (lower, upper) if lower <= upper else (least, most)
            self._as_of = received


class TimedApi:
    """A `KubeApi` that lets a `ServerTime` see every answer of the one it wraps."""

    def __init__(self, api: KubeApi, server_time: ServerTime) -> None:
        self._api = api
        self._server_time = server_time
        self._clock = server_time.clock

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        content_type: str = "application/json",
        timeout: float = 10.0,
    ) -> Answer:
        """Make one call; see `KubeApi.request`."""
        sent = self._clock.monotonic()
        answer = self._api.request(method, path, query=query, body=body, content_type=content_type, timeout=timeout)
        if answer.date is not None:
            self._server_time.observe(answer.date, sent=sent, received=self._clock.monotonic())
        return answer

    def stream(self, path: str, *, query: Mapping[str, str], timeout: float) -> Iterator[dict[str, Any]]:
        """Watch; see `KubeApi.stream`."""
        return self._api.stream(path, query=query, timeout=timeout)
