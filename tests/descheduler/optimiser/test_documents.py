"""Problems and answers survive JSON, and a malformed document is told whole."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from descheduler.optimiser import documents
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options
from tests.descheduler.optimiser.builders import make_item, make_problem
from tests.descheduler.optimiser.strategies import problems


@settings(max_examples=40)
@given(problems())
def test_problem_survives(problem: Problem) -> None:
    request = documents.Request(problem=problem, options=Options(price=None, deterministic=0.5))

    assert documents.decode_request(documents.encode(request)) == request


def test_amounts_keep_every_digit() -> None:
    problem = make_problem([make_item(requests=(2**62 + 1, 1, 1))])

    request = documents.decode_request(documents.encode(documents.Request(problem=problem, options=Options())))

    assert request.problem.items[0].requests[0] == 2**62 + 1


def test_faults_of_a_problem_are_told_by_path() -> None:
    document = json.loads(documents.encode(documents.Request(problem=make_problem([make_item()]), options=Options())))
    document["problem"]["sites"][1]["room"][0] = "4"
    document["problem"]["items"][0]["colour"] = "red"
    del document["options"]["order"], document["problem"]["tiers"]

    with pytest.raises(documents.MalformedError) as raised:
        documents.decode_request(json.dumps(document).encode())

    assert raised.value.faults == (
        "request.problem.sites[1].room[0]: seen '4'; allowed is a valid integer",
        "request.problem.items[0].colour: seen an unknown field; allowed are the documented ones",
        "request.problem.tiers: seen nothing; allowed is a value",
    )


def test_problem_that_is_none_is_told_by_path() -> None:
    problem = make_problem([make_item(node=9)])

    with pytest.raises(
        documents.MalformedError, match=r"problem\.items\[0\]\.node: seen 9; allowed is 0 to 1, or null"
    ):
        documents.decode_request(documents.encode(documents.Request(problem=problem, options=Options())))


def test_long_value_is_cut_in_an_error() -> None:
    with pytest.raises(documents.MalformedError) as raised:
        documents.decode_answer(json.dumps({"assignment": "x" * 1000}).encode(), make_problem())

    assert len(str(raised.value)) < 200


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"null", b"1", b"\xff", b'{"version": 2, "assignment": []}', b"[" * 9999]
)
def test_anything_else_is_malformed(content: bytes) -> None:
    with pytest.raises(documents.MalformedError):
        documents.decode_answer(content, make_problem())


@pytest.mark.parametrize(("assignment", "told"), [([], "seen 0 places"), ([-1], "seen -1"), ([True], "seen True")])
def test_answer_that_fits_no_problem_is_malformed(assignment: list[Any], told: str) -> None:
    with pytest.raises(documents.MalformedError, match=told):
        documents.decode_answer(json.dumps({"assignment": assignment}).encode(), make_problem([make_item()]))
