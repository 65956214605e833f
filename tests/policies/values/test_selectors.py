"""Selectors: Kubernetes' meaning of each operator, absent labels included."""

import pytest

from policies.values.selectors import LabelSelector, NodeSelectorTerm, Operator, Requirement

LABELS = {"tier": "web", "cores": "16", "odd": "many"}


@pytest.mark.parametrize(
    ("requirement", "met"),
    [
        (Requirement("tier", Operator.IN, ("web", "db")), True),
        (Requirement("tier", Operator.IN, ("db",)), False),
        (Requirement("none", Operator.IN, ("db",)), False),
        (Requirement("tier", Operator.NOT_IN, ("web",)), False),
        (Requirement("none", Operator.NOT_IN, ("web",)), True),
        (Requirement("tier", Operator.EXISTS), True),
        (Requirement("none", Operator.EXISTS), False),
        (Requirement("tier", Operator.DOES_NOT_EXIST), False),
        (Requirement("none", Operator.DOES_NOT_EXIST), True),
        (Requirement("cores", Operator.GREATER, ("15",)), True),
        (Requirement("cores", Operator.GREATER, ("16",)), False),
        (Requirement("cores", Operator.LESS, ("17",)), True),
        (Requirement("cores", Operator.LESS, ("16",)), False),
        (Requirement("odd", Operator.GREATER, ("1",)), False),
        (Requirement("none", Operator.LESS, ("1",)), False),
        (Requirement("cores", Operator.LESS), False),
    ],
    ids=lambda value: f"{value.key} {value.operator}" if isinstance(value, Requirement) else str(value),
)
def test_requirement(requirement: Requirement, met: bool) -> None:  # noqa: FBT001  # parametrized
    assert requirement.matches(LABELS) is met


def test_an_empty_selector_matches_everything() -> None:
    assert LabelSelector().matches({})


def test_every_requirement_must_hold() -> None:
    both = LabelSelector((Requirement("tier", Operator.EXISTS), Requirement("none", Operator.EXISTS)))

    assert not both.matches(LABELS)


def test_a_term_without_requirements_matches_no_node() -> None:
    assert not NodeSelectorTerm().matches(LABELS, "n1")


def test_a_term_may_name_the_node() -> None:
    named = NodeSelectorTerm(fields=(Requirement("metadata.name", Operator.IN, ("n1",)),))

    assert named.matches({}, "n1")
    assert not named.matches({}, "n2")


def test_expressions_and_fields_must_both_hold() -> None:
    term = NodeSelectorTerm(
        expressions=(Requirement("tier", Operator.IN, ("web",)),),
        fields=(Requirement("metadata.name", Operator.IN, ("n1",)),),
    )

    assert term.matches(LABELS, "n1")
    assert not term.matches({}, "n1")
