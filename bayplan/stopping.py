"""SIGTERM and SIGINT become an event that tasks wait on; ends nothing by itself."""

import signal
import threading
from types import FrameType


def stop_on_signals(stop: threading.Event | None = None) -> threading.Event:
    """Return an event that the first SIGTERM or SIGINT sets; a second one ends the process as it would without us.

    Must be called in the main thread, as Python delivers signals there.
    """
    event = stop or threading.Event()

    def on_signal(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL if number == signal.SIGTERM else signal.default_int_handler)
        event.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
    return event
