"""Queries are asked at once, and the slow one alone is asked less often."""

import threading
from collections.abc import Iterator
from itertools import pairwise

import pytest

from simulator.clock import ManualClock
from sources.prometheus.errors import QueryRefused, SourceTimedOut
from sources.prometheus.series import Series
from sources.signals.asking import Asker, Failed


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def asker(clock: ManualClock) -> Iterator[Asker]:
    opened = Asker(timeout=5.0, clock=clock)
    yield opened
    opened.close()


def give(query: str) -> list[Series]:
    return [Series({"query": query}, [1.0], [1.0])]


def test_equal_queries_are_asked_once_and_answered_twice(asker: Asker) -> None:
    asked: list[str] = []

    def ask(query: str) -> list[Series]:
        asked.append(query)
        return give(query)

    answers = asker.ask({"cpu.age": "age", "memory.age": "age", "cpu.node": "use"}, ask)

    assert sorted(asked) == ["age", "use"]
    assert answers["cpu.age"] == answers["memory.age"] == give("age")


def test_queries_run_side_by_side(asker: Asker) -> None:
    together = threading.Barrier(3, timeout=20)

    def ask(query: str) -> list[Series]:
        together.wait()
        return give(query)

    assert len(asker.ask({"a": "1", "b": "2", "c": "3"}, ask)) == 3


def test_failing_query_marks_itself_only(asker: Asker) -> None:
    def ask(query: str) -> list[Series]:
        if query == "bad":
            raise QueryRefused(400, "parse error")
        return give(query)

    assert asker.ask({"a": "bad", "b": "good"}, ask) == {"a": Failed("HTTP 400: parse error"), "b": give("good")}


def test_fc_060_query_that_times_out_is_asked_again_later_and_later(asker: Asker, clock: ManualClock) -> None:
    asked: list[float] = []

    def ask(_query: str) -> list[Series]:
        asked.append(clock.monotonic())
        raise SourceTimedOut("no whole answer")

    for _ in range(300):
        asker.ask({"a": "slow"}, ask)
        clock.advance(1)

    pauses = [later - earlier for earlier, later in pairwise(asked)]
    assert pauses[:5] == [1, 10, 20, 40, 60]
    assert set(pauses[4:]) == {60}


def test_rest_is_told_and_ends_with_an_answer(asker: Asker, clock: ManualClock) -> None:
    def slow(_query: str) -> list[Series]:
        raise SourceTimedOut("no whole answer")

    asker.ask({"a": "q"}, slow)
    asker.ask({"a": "q"}, slow)
    assert asker.ask({"a": "q"}, give) == {"a": Failed("timed out before, asked again in 10 s")}
    clock.advance(10)
    assert asker.ask({"a": "q"}, give) == {"a": give("q")}
    assert asker.ask({"a": "q"}, slow) == {"a": Failed("no whole answer")}
    assert asker.ask({"a": "q"}, give) == {"a": give("q")}


def test_query_that_never_comes_back_is_not_waited_for(clock: ManualClock) -> None:
    asker = Asker(timeout=0.05, clock=clock)
    released = threading.Event()

    def ask(query: str) -> list[Series]:
        if query == "stuck":
            released.wait(10)
        return give(query)

    answers = asker.ask({"a": "stuck", "b": "good"}, ask)
    released.set()
    asker.close()

    assert answers == {"a": Failed("no answer within 0.05 s"), "b": give("good")}
