"""The kinds of value: what is read, and that what is written reads back."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.model.fields import duration_text, objective, seconds, share, shown, threshold_or_off, url
from policies.model.signals import Signals


@pytest.mark.parametrize(
    ("text", "expected"),
    [("250ms", 0.25), ("15s", 15), ("1h30m", 5400), ("2.5m", 150), ("1d", 86400), ("1m30s500ms", 90.5), ("0s", 0)],
)
def test_durations_are_read_in_seconds(text: str, expected: float) -> None:
    assert seconds(text) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("text", ["", "5", "s", "5 s", "5x", "-5s", "1e3s", "5s ", "½s", "5m-", None, True, [5]])
def test_anything_else_is_no_duration(text: object) -> None:
    with pytest.raises(ValueError, match=r"is not a duration; allowed is a number with ms, s, m, h or d"):
        seconds(text)


def test_a_duration_that_no_timer_can_wait_for_is_refused() -> None:
    assert seconds("36500d") == 36_500 * 86_400
    with pytest.raises(ValueError, match=r"^seen '36500d1s'; allowed is at most 36500d$"):
        seconds("36500d1s")


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0s"), (0.25, "0.25s"), (15, "15s"), (60, "1m"), (5400, "90m"), (86400, "1d"), (1e-7, "0.0000001s")],
)
def test_durations_are_written_shortly(number: float, text: str) -> None:
    assert duration_text(number) == text


@given(st.floats(0, 3e9) | st.integers(0, 10**9).map(float))
def test_written_duration_reads_back_exactly(number: float) -> None:
    assert seconds(duration_text(number)) == number


@given(st.floats(0, 1e9) | st.integers(0, 10**9))
def test_code_gives_durations_in_seconds(number: float) -> None:
    assert Signals(step=number + 1, stale_after=number + 1).step == number + 1


@given(st.floats(0, 100))
def test_percentages_and_numbers_are_the_same_shares(percent: float) -> None:
    assert share(f"{percent!r}%") == percent / 100 == share(percent / 100)


@pytest.mark.parametrize("value", ["", "%", "-1%", "101%", 1.01, -0.1, "nan", "nan%", "inf", True, False, None, "50"])
def test_anything_outside_0_to_1_is_no_share(value: object) -> None:
    with pytest.raises(ValueError, match=r"is not a share; allowed is 0% to 100%, or a number from 0.0 to 1.0"):
        share(value)


@given(st.floats(0.001, 1e9))
def test_plain_objective_is_in_the_unit_of_the_indicator(number: float) -> None:
    assert objective(number) == number


def test_objective_as_a_duration_is_in_seconds() -> None:
    assert objective("1m30s") == 90


@pytest.mark.parametrize("value", [1, 0.3, -5, "off"])
def test_thresholds_and_off(value: object) -> None:
    assert threshold_or_off(value) == value


@pytest.mark.parametrize("value", [1.01, False, True, "on", "0.3", None, math.nan, math.inf])
def test_anything_else_is_no_threshold(value: object) -> None:
    with pytest.raises(ValueError, match="allowed is a number up to 1, or off"):
        threshold_or_off(value)


@pytest.mark.parametrize(
    ("written", "whole"),
    [
        ("http://prometheus:9090", "http://prometheus:9090"),
        ("https://prometheus.example/prefix/", "https://prometheus.example/prefix"),
        ("prometheus:9090", "http://prometheus:9090"),
        ("10.0.0.5:9090", "http://10.0.0.5:9090"),
        ("[fd00::1]:9090", "http://[fd00::1]:9090"),
        ("prometheus", "http://prometheus"),
    ],
)
def test_addresses_with_and_without_scheme(written: str, whole: str) -> None:
    assert url(written) == whole


@pytest.mark.parametrize(
    "text",
    [
        "",
        "http://",
        "ftp://a",
        "http://a:x",
        "http://a:70000",
        "a:0",
        "http://u:p@a",
        "http://a?b=c",
        "http://a#b",
        "a b",
        "[::1",
        ":9090",
    ],
)
def test_anything_else_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{text!r} is no address; allowed is http://host:port/path")):
        url(text)


@given(st.text(max_size=300))
def test_quoted_values_are_short(text: str) -> None:
    assert len(shown(text)) <= 61
