"""The check that unit tests reach every package's floor."""

from typing import Any

from tests.coverage_floors import package_shares, shortfalls


def report(covered: int, lines: int, *, branches: tuple[int, int] = (0, 0)) -> dict[str, Any]:
    """Return one file of a coverage report."""
    summary = {
        "covered_lines": covered,
        "num_statements": lines,
        "covered_branches": branches[0],
        "num_branches": branches[1],
    }
    return {"summary": summary}


def test_lines_and_branches_of_all_files_of_a_package_count_together() -> None:
    files = {"policies/a.py": report(8, 10, branches=(1, 2)), "policies/rails/b.py": report(8, 8)}

    assert package_shares(files) == {"policies": 85.0}


def test_package_below_its_floor_is_named_with_its_gaps() -> None:
    files = {"policies/a.py": report(9, 10), "policies/b.py": report(10, 10), "sources/c.py": report(9, 10)}

    assert shortfalls(files, {"policies": 100.0, "sources": 90.0}) == [
        "policies is covered to 95.00 %, at least 100 % is required: policies/a.py 90 %"
    ]


def test_a_missing_branch_is_a_gap() -> None:
    assert shortfalls({"policies/a.py": report(10, 10, branches=(3, 4))}, {"policies": 100.0}) != []


def test_package_without_statements_is_whole() -> None:
    assert shortfalls({"simulator/__init__.py": report(0, 0)}, {"simulator": 90.0}) == []


def test_package_that_was_not_measured_is_a_shortfall() -> None:
    assert shortfalls({}, {"policies": 100.0}) == ["policies was not measured at all"]
