"""Every error and warning of a policy, word for word; the cases are tests/cases/policy_errors.yaml."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from policies.model.loading import load
from policies.model.problems import PolicyErrors

HEAD = "apiVersion: bayplan.dev/v1alpha1\nkind: Policy\n"
CASES = yaml.safe_load((Path(__file__).parents[2] / "cases" / "policy_errors.yaml").read_text())


def said_of(text: str) -> tuple[list[str], list[str]]:
    """Return the errors and the warnings of a policy."""
    try:
        return [], [str(warning) for warning in load(text, file="p.yaml").warnings]
    except PolicyErrors as errors:
        return [str(problem) for problem in errors.problems], []


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_policy_is_told_exactly_what_is_wrong(case: dict[str, Any]) -> None:
    text = case["policy"] if "policy" in case else HEAD + case["body"]

    errors, warnings = said_of(text)

    assert errors == case.get("errors", [])
    assert warnings == case.get("warnings", [])


def test_errors_are_one_text_with_a_line_each() -> None:
    with pytest.raises(PolicyErrors) as raised:
        load("kind: Policy\nzzz: 1\n", file="p.yaml")

    assert str(raised.value).splitlines() == [str(problem) for problem in raised.value.problems]
    assert len(raised.value.problems) == 2


def test_nesting_deeper_than_any_policy_is_refused() -> None:
    assert said_of("[" * 5000) == (["p.yaml:1: not YAML: nested deeper than the allowed 40 levels"], [])
