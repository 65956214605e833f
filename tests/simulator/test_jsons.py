"""Merge patches and times."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.jsons import copied, merged, seconds, timestamp

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ("text", {"a": 1}, {"a": 1}),
    ],
)
def test_merge_patch(target: object, patch: object, result: object) -> None:
    assert merged(target, patch) == result


@given(JSON, JSON)
def test_a_merge_patch_applied_twice_is_applied_once(target: object, patch: object) -> None:
    once = merged(target, patch)

    assert merged(once, patch) == once


@given(JSON)
def test_a_copy_equals_and_is_another(value: object) -> None:
    assert copied(value) == value


def test_a_timestamp_is_cut_to_whole_seconds_and_reads_back() -> None:
    assert timestamp(1_800_000_000.9) == "2027-01-15T08:00:00Z"
    assert seconds("2027-01-15T08:00:00Z") == 1_800_000_000.0
