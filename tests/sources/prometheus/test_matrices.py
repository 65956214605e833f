"""Answers to range queries are read from their text exactly as if they had been decoded as any JSON."""

import math
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.prometheus.matrices import decode
from sources.prometheus.series import compact, matrix

LABELS = st.dictionaries(st.text(max_size=4), st.text(max_size=12) | st.just(',"values":[[1,"2"]]'), max_size=2)
NUMBERS = st.floats(width=32).map(lambda value: f"{value:g}".replace("nan", "NaN").replace("inf", "Inf"))
ODD = st.one_of(st.none(), st.text(max_size=3), st.integers(0, 9), st.lists(st.integers(0, 9), max_size=3))
PAIRS = st.tuples(st.floats(0, 2e9), NUMBERS).map(list)
SERIES = st.fixed_dictionaries(
    {"metric": LABELS, "values": st.lists(PAIRS, max_size=5) | st.lists(PAIRS | ODD, max_size=3)},
    optional={"histograms": st.just([[1, {"count": "1"}]])},
)


def answer(*result: Any, **more: Any) -> dict[str, Any]:
    return {"status": "success", "data": {"resultType": "matrix", "result": list(result)}} | more


def plain(decoded: Any) -> list[tuple[Any, ...]]:
    """Return series with NaN as a text, as it is equal to nothing."""
    found = matrix(decoded["data"]["result"])
    return [(one.labels, [*one.times], [*map(_comparable, one.values)], one.fault) for one in found]


def _comparable(value: float) -> float | str:
    return "NaN" if math.isnan(value) else value


@given(result=st.lists(SERIES, max_size=4))
def test_what_is_read_is_what_any_json_decoder_reads(result: list[Any]) -> None:
    body = orjson.dumps(answer(*result, warnings=["careful"]))

    read = decode(body)

    assert plain(read) == plain(compact(orjson.loads(body)))
    assert isinstance(read, dict)
    assert read["warnings"] == ["careful"]


def test_samples_of_all_series_share_one_block_of_memory() -> None:
    series = [{"metric": {"n": str(at)}, "values": [[1.5, "0.25"], [2.5, str(at)]]} for at in range(3)]

    first, _, last = matrix(decode(orjson.dumps(answer(*series)))["data"]["result"])  # type: ignore[index]

    assert isinstance(first.values, np.ndarray)
    assert isinstance(last.values, np.ndarray)
    assert [*first.values] == [0.25, 0.0]
    assert [*last.values] == [0.25, 2.0]
    assert first.values.base is last.values.base


def test_one_series_with_a_nan_does_not_slow_the_others() -> None:
    body = orjson.dumps(answer({"metric": {}, "values": [[1, "NaN"]]}, {"metric": {}, "values": [[1, "2"]]}))

    first, second = matrix(decode(body)["data"]["result"])  # type: ignore[index]

    assert math.isnan(first.values[0])
    assert isinstance(second.values, np.ndarray)


@pytest.mark.parametrize(
    "body",
    [
        b'{"data":{"result":[{"metric":{},"values":[[1,"2"',
        b'{"data":{"result":[{"metric":{},"values":[[1,"2"]]',
        b"<html>",
        b"",
    ],
    ids=["cut in a sample", "cut behind", "a page", "nothing"],
)
def test_what_is_no_json_is_an_error(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"line|column|char"):
        decode(body)


@pytest.mark.parametrize(
    "values",
    [
        '[[1,"2"],[3]]',
        '[[1],[2,"3","4"]]',
        '[[1,"x"]]',
        '[["1","2"]]',
        '[[1,"1e999"]]',
        "[[[1],2]]",
    ],
)
def test_samples_of_another_build_are_left_to_the_ordinary_way(values: str) -> None:
    body = f'{{"data":{{"result":[{{"metric":{{}},"values":{values}}}]}}}}'.encode()

    assert plain(decode(body)) == plain(compact(orjson.loads(body)))
