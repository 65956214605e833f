"""Many queries at once, each with its own fate; it does not look into the answers.

A query that timed out is asked again later and later (at most once a minute), so that one that takes 30 s does not
hold back the others at every poll.
"""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Final

from sources.clocks import Clock
from sources.prometheus.errors import QueryError, SourceTimedOut
from sources.prometheus.series import Series

_WORKERS: Final = 16
_LONGEST_REST: Final = 60.0
_GRACE: Final = 1.0  # for the work beside the network: the adapter itself ends each query in time
Ask = Callable[[str], list[Series]]


@dataclass(frozen=True, slots=True)
class Failed:
    """Why a query gave nothing."""

    words: str


class Asker:
    """Asks queries in threads of its own."""

    def __init__(self, *, timeout: float, clock: Clock) -> None:
        self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="query")
        self._timeout = timeout
        self._clock = clock
        self._lock = threading.Lock()
        self._slow: dict[str, tuple[int, float]] = {}  # by query: how often in a row it timed out, when to ask again

    def ask(self, queries: Mapping[str, str], ask: Ask) -> dict[str, list[Series] | Failed]:
        """Ask each query (name to PromQL) once, equal ones together, and return all answers by name."""
        texts = dict.fromkeys(queries.values())
        resting = {text: left for text in texts if (left := self._rests(text)) > 0}
        asked = {text: self._pool.submit(self._one, text, ask) for text in texts if text not in resting}
        rounds = -(-len(asked) // _WORKERS)
        wait(asked.values(), timeout=rounds * self._timeout + _GRACE)
        answers = {text: self._answer(future) for text, future in asked.items()}
        answers |= {text: Failed(f"timed out before, asked again in {left:.0f} s") for text, left in resting.items()}
        return {name: answers[text] for name, text in queries.items()}

    def close(self) -> None:
        """Take no more queries; those under way end by themselves."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _answer(self, future: "Future[list[Series] | Failed]") -> list[Series] | Failed:
        return future.result() if future.done() else Failed(f"no answer within {self._timeout:g} s")

    def _one(self, text: str, ask: Ask) -> list[Series] | Failed:
        try:
            series = ask(text)
        except QueryError as problem:
            self._note(text, timed_out=isinstance(problem, SourceTimedOut))
            return Failed(str(problem))
        self._note(text, timed_out=False)
        return series

    def _note(self, text: str, *, timed_out: bool) -> None:
        with self._lock:
            if not timed_out:
                self._slow.pop(text, None)
                return
            times = self._slow.get(text, (0, 0.0))[0] + 1
            rest = 0.0 if times == 1 else min(_LONGEST_REST, self._timeout * 2.0 ** (times - 1))
            self._slow[text] = (times, self._clock.monotonic() + rest)

    def _rests(self, text: str) -> float:
        with self._lock:
            return self._slow[text][1] - self._clock.monotonic() if text in self._slow else 0.0
