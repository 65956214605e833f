"""Waiting for something to become true, with an error that says what was waited for and what was seen instead."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class NotInTimeError(AssertionError):
    """What was waited for did not happen; an AssertionError, as a test that waits is a test that asserts."""


def wait_until(
    condition: Callable[[], T],
    what: str,
    *,
    timeout: float = 30.0,
    interval: float = 0.05,
    seen: Callable[[], object] | None = None,
) -> T:
    """Return the first truthy answer of the condition.

    Raises:
        NotInTimeError: none came within `timeout` seconds; the text has the last answer, or that of `seen`.
    """
    began = time.monotonic()
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() - began > timeout:
            last = answer if seen is None else seen()
            raise NotInTimeError(f"waited {timeout:g} s for {what}; last seen: {last!r}")
        time.sleep(interval)


def never(condition: Callable[[], T], what: str, *, during: float, interval: float = 0.1) -> None:
    """Watch for a while that the condition stays falsy.

    Raises:
        NotInTimeError: it became truthy; the text says when and with what answer.
    """
    began = time.monotonic()
    while (passed := time.monotonic() - began) < during:
        answer = condition()
        if answer:
            raise NotInTimeError(
                f"{what} was not to happen within {during:g} s, but did after {passed:.1f} s: {answer!r}"
            )
        time.sleep(interval)
