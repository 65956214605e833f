"""Pauses of the cycle collector overlap and end."""

import gc

import pytest

from sources.garbage import Collector


def test_overlapping_pauses_end_with_the_last_one() -> None:
    collector = Collector()
    first, second = collector.paused(), collector.paused()

    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)

    assert gc.isenabled()


def test_error_ends_a_pause() -> None:
    with pytest.raises(LookupError), Collector().paused():
        raise LookupError

    assert gc.isenabled()


def test_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with Collector().paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_is_set_aside_is_not_searched_again() -> None:
    before = gc.get_freeze_count()
    kept = [[number] for number in range(1000)]
    try:
        Collector().set_aside()

        assert gc.get_freeze_count() >= before + len(kept)
    finally:
        gc.unfreeze()
