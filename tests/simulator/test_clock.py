"""The clock moves when told, and what falls due runs at its own moment."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.clock import START, ManualClock, SteppingEvent


def test_both_clocks_move_by_the_same(clock: ManualClock) -> None:
    clock.advance(2.5)

    assert (clock.now(), clock.monotonic()) == (START + 2.5, 2.5)


def test_a_jump_moves_the_wall_clock_only(clock: ManualClock) -> None:
    clock.jump(-3600)

    assert (clock.now(), clock.monotonic()) == (START - 3600, 0.0)


def test_moving_back_is_refused(clock: ManualClock) -> None:
    with pytest.raises(ValueError, match=r"cannot advance by -1 s; allowed is 0 or more"):
        clock.advance(-1)


@given(st.lists(st.floats(0, 100), max_size=8), st.floats(0, 120))
def test_timers_run_in_order_each_at_its_moment(delays: list[float], span: float) -> None:
    clock = ManualClock()
    seen: list[tuple[float, float]] = []
    for delay in delays:
        clock.call_after(delay, lambda delay=delay: seen.append((delay, clock.monotonic())))  # type: ignore[misc]  # a default binds it

    clock.advance(span)

    assert seen == [(delay, delay) for delay in sorted(delays) if delay <= span]
    assert clock.monotonic() == span


def test_a_timer_may_set_another_within_the_same_movement(clock: ManualClock) -> None:
    seen: list[float] = []
    clock.call_after(1, lambda: clock.call_after(1, lambda: seen.append(clock.monotonic())))

    clock.advance(5)

    assert seen == [2.0]


def test_listeners_hear_of_every_movement(clock: ManualClock) -> None:
    heard: list[float] = []
    clock.on_move(lambda: heard.append(clock.now()))

    clock.advance(1)
    clock.jump(10)

    assert heard == [START + 1, START + 11]


def test_waiting_on_a_stepping_event_takes_simulated_time(clock: ManualClock) -> None:
    stop = SteppingEvent(clock, stop_at=12)

    waits = [stop.wait(5), stop.wait(5), stop.wait(5)]

    assert (waits, clock.monotonic()) == ([False, False, True], 12.0)


def test_a_set_stepping_event_does_not_move_the_clock(clock: ManualClock) -> None:
    stop = SteppingEvent(clock)
    stop.set()

    assert stop.wait(5)
    assert clock.monotonic() == 0.0


def test_waiting_without_a_timeout_ends_at_the_stop(clock: ManualClock) -> None:
    assert SteppingEvent(clock, stop_at=30).wait()
    assert clock.monotonic() == 30.0


def test_threads_may_read_while_it_moves(clock: ManualClock) -> None:
    readings: list[float] = []
    reader = threading.Thread(target=lambda: readings.extend(clock.now() - clock.monotonic() for _ in range(500)))
    reader.start()

    for _ in range(500):
        clock.advance(0.5)
    reader.join()

    assert len(readings) == 500
