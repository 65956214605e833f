"""Signals: the first one asks to stop, the second one ends."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Final

import pytest

from bayplan.stopping import stop_on_signals

NUMBERS: Final = (signal.SIGTERM, signal.SIGINT)

PROGRAM = """
from bayplan.stopping import stop_on_signals
stop = stop_on_signals()
print("ready", flush=True)
stop.wait(20)
print("stopping", flush=True)
if {lingers}:
    import time
    time.sleep(20)
"""


def start(*, lingers: bool) -> subprocess.Popen[str]:
    """Start a process that waits for the signal, and has set up to take it."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(lingers=lingers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.fixture
def handlers() -> Iterator[None]:
    """Leave the test run's own handlers as they were."""
    before = {number: signal.getsignal(number) for number in NUMBERS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("number", NUMBERS)
def test_signal_sets_the_event_and_gives_the_next_one_back(number: signal.Signals) -> None:
    given = threading.Event()
    event = stop_on_signals(given)

    signal.raise_signal(number)

    assert event is given
    assert event.is_set()
    assert signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}


@pytest.mark.parametrize("number", NUMBERS)
def test_first_signal_asks_to_stop(number: signal.Signals) -> None:
    with start(lingers=False) as process:
        process.send_signal(number)
        output, _ = process.communicate(timeout=10)

    assert (process.returncode, output) == (0, "stopping\n")


@pytest.mark.parametrize("number", NUMBERS)
def test_second_signal_ends_a_process_that_lingers(number: signal.Signals) -> None:
    with start(lingers=True) as process:
        assert process.stdout is not None
        process.send_signal(number)
        assert process.stdout.readline() == "stopping\n"

        process.send_signal(number)
        process.communicate(timeout=10)

    assert process.returncode == -number
