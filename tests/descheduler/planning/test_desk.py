"""Requests are coalesced by trigger, relief comes first, and a cancelled solve is not the next one's."""

from threading import Event, Thread

from descheduler.planning.desk import Asked, Desk, of_relief
from descheduler.planning.problems.measured import NOTHING_MEASURED

STOP = Event()


def test_newest_request_of_a_trigger_stands_for_all() -> None:
    desk = Desk()
    desk.ask(of_relief([["a"]], NOTHING_MEASURED, at=1))
    desk.ask(of_relief([["b"]], NOTHING_MEASURED, at=2))

    asked = desk.take(0, stop=STOP)

    assert asked is not None
    assert asked.relief == {"b"}
    assert desk.take(0, stop=STOP) is None


def test_relief_comes_first() -> None:
    desk = Desk()
    desk.ask(Asked(trigger="periodic"))
    desk.ask(Asked(trigger="relief"))

    triggers = [asked.trigger for _ in range(2) if (asked := desk.take(0, stop=STOP)) is not None]

    assert triggers == ["relief", "periodic"]


def test_desk_is_busy_from_the_request_to_the_end_of_the_attempt() -> None:
    desk = Desk()
    seen = [desk.busy]
    desk.ask(Asked(trigger="periodic"))
    seen.append(desk.busy)
    desk.take(0, stop=STOP)
    desk.solving("periodic")
    seen.append(desk.busy)
    assert desk.computing == "periodic"

    desk.done()

    assert [*seen, desk.busy] == [False, True, True, False]
    assert not desk.computing


def test_cancelled_solve_is_not_the_next_ones() -> None:
    desk = Desk()
    desk.cancel()
    assert desk.is_set()
    desk.ask(Asked(trigger="periodic"))

    desk.take(0, stop=STOP)

    assert not desk.is_set()


def test_waiting_ends_with_a_request_or_a_wake() -> None:
    desk, stop, found = Desk(), Event(), list[Asked | None]()
    thread = Thread(target=lambda: found.append(desk.take(20, stop=stop)))
    thread.start()
    stop.set()
    desk.wake()
    thread.join(20)

    assert found == [None]
    desk.ask(Asked(trigger="periodic"))
    assert desk.take(0, stop=stop) is None


def test_other_candidates_of_a_node_are_tried_in_turn() -> None:
    asked = of_relief([["a", "b", "c"], ["d"], ["e", "f"]], NOTHING_MEASURED, at=0.0)

    assert [set(turn) for turn in (asked.relief, *asked.otherwise)] == [
        {"a", "d", "e"},
        {"b", "d", "f"},
        {"c", "d", "f"},
    ]
