"""Waiting for what another thread is about to do."""

import time
from collections.abc import Callable


def eventually(condition: Callable[[], object], *, within: float = 20.0) -> None:
    """Return once the condition holds; fail when it does not in time, even on a busy machine."""
    until = time.monotonic() + within
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.002)
