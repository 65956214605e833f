"""Waiting for conditions."""

import pytest

from controlplane.waiting import NotInTimeError, never, wait_until


def test_the_first_truthy_answer_is_returned() -> None:
    answers = iter([None, 0, "here"])

    assert wait_until(lambda: next(answers), "an answer", interval=0) == "here"


def test_a_condition_that_stays_false_says_what_was_seen_instead() -> None:
    with pytest.raises(NotInTimeError, match=r"waited 0\.01 s for three pods; last seen: \['a'\]"):
        wait_until(lambda: False, "three pods", timeout=0.01, interval=0.001, seen=lambda: ["a"])


def test_something_that_was_not_to_happen_is_reported_with_its_time() -> None:
    answers = iter([None, "web-1"])

    with pytest.raises(NotInTimeError, match=r"an eviction was not to happen within 5 s.*: 'web-1'"):
        never(lambda: next(answers), "an eviction", during=5, interval=0)


def test_nothing_happened_is_fine() -> None:
    never(lambda: False, "an eviction", during=0.01, interval=0.001)
