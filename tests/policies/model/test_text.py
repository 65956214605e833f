"""Reading YAML: the core schema of YAML 1.2, and the line of every value."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.model.text import read, value_at

# JSON escapes what lies beyond as surrogate pairs, which YAML does not join.
TEXTS = st.text(st.characters(max_codepoint=0xD7FF), max_size=6)
SCALARS = st.none() | st.booleans() | st.integers(-(10**17), 10**17) | st.floats(-1e300, 1e300) | TEXTS
TREES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("off", "off"),
        ("yes", "yes"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("80e9", 80e9),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("010", 10),
        ("0x10", "0x10"),
        ("1:30", "1:30"),
        ("2026-01-01", "2026-01-01"),
        (".inf", ".inf"),
        ("9" * 30, float("9" * 30)),
        ("'5'", "5"),
    ],
)
def test_plain_scalars_follow_the_core_schema(text: str, value: object) -> None:
    document = read(f"a: {text}\n", file="f")

    assert document.data == {"a": value}
    assert type(document.data["a"]) is type(value)


@given(st.dictionaries(TEXTS, TREES, max_size=4))
def test_json_reads_as_the_same_data(data: dict[str, Any]) -> None:
    document = read(json.dumps(data), file="f")

    assert (document.data, document.problems) == (data, [])


def test_every_value_has_its_line() -> None:
    document = read("a:\n  b: 1\n  c:\n  - x\n  -\n    d: 2\n", file="f")

    assert document.line(("a", "c", 1, "d")) == 6
    assert document.line(("a", "c", 0)) == 4
    assert document.line(("a", "missing", "deeper")) == 1
    assert document.line(("nowhere",)) == 1


@pytest.mark.parametrize(
    ("at", "value"), [(("a", 0), 1), (("a", "x"), None), (("b",), None), (("a", 0, "c"), None), ((), {"a": [1]})]
)
def test_value_at_a_place_or_nothing(at: tuple[str | int, ...], value: object) -> None:
    assert value_at({"a": [1]}, at) == value
