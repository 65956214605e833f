"""The table of field cases names every case once, and only tests and files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (FC-\d{3}) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
CASES = dict(ROW.findall((ROOT / "docs" / "testing.md").read_text()))
DEFINED = frozenset(
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
)


def test_every_field_case_has_its_line() -> None:
    found = ROW.findall((ROOT / "docs" / "testing.md").read_text())

    assert [case for case, _ in found] == [f"FC-{number:03}" for number in range(1, 88)]


@pytest.mark.parametrize("case", CASES)
def test_what_shows_a_case_exists_or_is_later_work_with_a_reason(case: str) -> None:
    named = re.findall(r"`([^`]+)`", CASES[case])
    tests = [name for name in named if name.startswith("test_")]
    files = [name for name in named if name.startswith(("tests/", "docs/"))]

    assert [name for name in tests if name not in DEFINED] == []
    assert [name for name in files if not (ROOT / name).exists()] == []
    assert tests or files or re.search(r"later work: \w+", CASES[case])


def test_every_test_named_after_a_case_is_one_of_the_table() -> None:
    numbers = {f"FC-{found[1]}" for name in DEFINED if (found := re.match(r"test_fc_(\d{3})_", name))}

    assert numbers <= CASES.keys()
