"""Every rail refuses and accepts what its examples say; the examples are data in tests/cases/rails."""

import pytest

from policies.rails.order import RAILS, first_refusal
from tests.policies.rails.examples import FOLDER, Example, names, read_examples
from tests.policies.situations import make_candidate, make_situation

EXAMPLES = read_examples()
BY_NAME = {rail.name: rail for rail in RAILS}


@pytest.mark.parametrize("example", EXAMPLES, ids=names(EXAMPLES))
def test_rail_answers_as_its_example_says(example: Example) -> None:
    candidate, situation = example.set_up()

    refusal = BY_NAME[example.rail].check(candidate, situation)

    if example.refused is None:
        assert refusal is None
        return
    assert refusal is not None
    assert refusal.rail == example.rail
    assert example.refused in refusal.message
    assert refusal.scope == example.data.get("scope", "pod")


@pytest.mark.parametrize("rail", RAILS, ids=[rail.name for rail in RAILS])
def test_every_rail_has_an_example_of_both_kinds(rail: object) -> None:
    kinds = {example.refused is None for example in EXAMPLES if BY_NAME[example.rail] == rail}

    assert kinds == {True, False}


def test_every_file_of_examples_belongs_to_a_rail() -> None:
    assert {path.stem for path in FOLDER.glob("*.yaml")} == {rail.name for rail in RAILS}


def test_an_ordinary_pod_passes_every_rail() -> None:
    assert first_refusal(make_candidate(), make_situation()) is None


@pytest.mark.parametrize("example", EXAMPLES, ids=names(EXAMPLES))
def test_whatever_a_rail_refuses_is_refused_in_the_whole_order(example: Example) -> None:
    candidate, situation = example.set_up()

    assert (first_refusal(candidate, situation) is not None) or example.refused is None
