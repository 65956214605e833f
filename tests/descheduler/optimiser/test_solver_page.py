"""docs/reference/solver.md: its examples can be read, and it names every field, rule and outcome there is."""

import dataclasses
import re
from pathlib import Path

import pytest

from descheduler.optimiser import documents, problem
from descheduler.optimiser.checking import Rule, check
from descheduler.optimiser.solution import Options

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "solver.md").read_text()
REQUEST, ANSWER = re.findall(r"```json\n(.*?)```", PAGE, flags=re.DOTALL)
NAMED = set(re.findall(r"`([a-z_]+)`", PAGE)) | set(re.findall(r'"([a-z_]+)":', REQUEST))
VALUES = (
    problem.Problem,
    problem.Site,
    problem.Item,
    problem.Budget,
    problem.Exclusive,
    problem.Separation,
    problem.Attraction,
    problem.Spread,
    Options,
)


def test_example_request_can_be_read() -> None:
    request = documents.decode_request(REQUEST.encode())

    assert len(request.problem.items) == 2


def test_example_answer_is_a_plan_for_the_request() -> None:
    request = documents.decode_request(REQUEST.encode())

    answer = documents.decode_answer(ANSWER.encode(), request.problem)

    assert check(request.problem, answer.assignment, request.options) == ()


@pytest.mark.parametrize("value", VALUES)
def test_every_field_is_described(value: type) -> None:
    assert {field.name for field in dataclasses.fields(value)} <= NAMED


@pytest.mark.parametrize("rule", Rule)
def test_every_rule_has_a_row(rule: Rule) -> None:
    assert f"\n| `{rule}` | " in PAGE


@pytest.mark.parametrize("outcome", ["answered", "late", "cancelled", "failed", "malformed", "rejected"])
def test_every_outcome_has_a_row(outcome: str) -> None:
    assert f"| `{outcome}` |\n" in PAGE
