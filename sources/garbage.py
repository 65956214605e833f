"""A pause of the cycle collector while a page of objects is decoded; it collects nothing by itself.

Decoding makes hundreds of thousands of objects without a cycle among them, and each few hundred of them make Python
look through everything that is in memory: without a pause that takes half of the time of a list.
"""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final


class Collector:
    """The process' collector, with the pauses that are under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pauses = 0
        self._was_on = False

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Keep it from running; pauses of several threads may overlap. For seconds, not for good."""
        with self._lock:
            if self._pauses == 0:
                self._was_on = gc.isenabled()
                gc.disable()
            self._pauses += 1
        try:
            yield
        finally:
            with self._lock:
                self._pauses -= 1
                if self._pauses == 0 and self._was_on:
                    gc.enable()

    def set_aside(self) -> None:
        """Look once, then never again at what is there now: a large state that stays would be searched each time."""
        gc.collect()
        gc.freeze()


COLLECTOR: Final = Collector()
"""The one there is."""
