"""Numbers of Prometheus' answers: read exactly, kept as they came where they are none, said briefly."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.prometheus.series import compact, matrix, shown, vector


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        ({"value": [1, "many"]}, "holds {'value': [1, 'many']}, not numbers"),
        ({"value": [1]}, "holds {'value': [1]}, not numbers"),
        ({}, "holds {}, not numbers"),
        ({"histogram": [1, {}]}, "holds native histograms, not numbers"),
    ],
    ids=["text", "short", "nothing", "histogram"],
)
def test_series_without_numbers_says_so(raw: dict[str, Any], fault: str) -> None:
    (found,) = vector([{"metric": {"instance": "n1"}} | raw])

    assert (found.fault, found.values) == (fault, ())
    assert str(found) == '{instance="n1"}'


def test_range_series_without_numbers_says_so() -> None:
    (found,) = matrix([{"metric": {}, "histograms": []}])

    assert found.fault == "holds native histograms, not numbers"


@pytest.mark.parametrize("pairs", [[[1, "many"]], [[1]], [1], [[None, "1"]]], ids=["text", "short", "flat", "no time"])
def test_range_series_with_anything_but_numbers_stays_as_it_came(pairs: list[Any]) -> None:
    answer = {"data": {"result": [{"metric": {}, "values": pairs}]}}

    assert compact(answer) == {"data": {"result": [{"metric": {}, "values": pairs}]}}
    assert matrix(answer["data"]["result"])[0].fault == f"holds {{'values': {pairs}}}, not numbers"


@pytest.mark.parametrize("answer", [None, [], {}, {"data": []}, {"data": {"result": 1}}, {"data": {"result": [1]}}])
def test_answer_of_another_shape_is_not_touched(answer: object) -> None:
    assert compact(answer) is answer


@given(st.lists(st.floats(), max_size=5))
def test_every_number_prometheus_may_send_is_read_exactly(numbers: list[float]) -> None:
    written = [[float(at), _as_go_writes(number)] for at, number in enumerate(numbers)]

    (found,) = matrix([{"metric": {}, "values": written}])

    for value, number in zip(found.values, numbers, strict=True):
        assert value == number or (math.isnan(value) and math.isnan(number))


def _as_go_writes(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    return ("+Inf" if number > 0 else "-Inf") if math.isinf(number) else repr(number)


def test_long_labels_are_cut_in_messages() -> None:
    assert len(shown({f"label{number}": "x" * 20 for number in range(20)})) < 170
