"""Selectors of list requests."""

import pytest

from simulator.failures import Failure
from simulator.kinds import parse_path
from simulator.selecting import parse_fields, parse_labels, selector_of

PODS = parse_path("/api/v1/pods").kind
LABELS = {"app": "web", "tier": "front"}


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("", True),
        ("app=web", True),
        ("app==web,tier=front", True),
        ("app!=web", False),
        ("gone!=web", True),
        ("app in (web, api)", True),
        ("app notin (web,api)", False),
        ("app", True),
        ("!app", False),
        ("!gone,app in (web)", True),
    ],
)
def test_label_selector(text: str, *, matches: bool) -> None:
    assert parse_labels(text).matches(LABELS) is matches


def test_object_selector_takes_labels_and_expressions_together() -> None:
    selector = selector_of(
        {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "gone", "operator": "DoesNotExist"}]}
    )

    assert selector is not None
    assert selector.matches(LABELS)
    assert not selector.matches(LABELS | {"gone": ""})


def test_absent_object_selector_is_none() -> None:
    assert selector_of(None) is None


@pytest.mark.parametrize(
    ("text", "matches"),
    [("spec.nodeName=n1", True), ("spec.nodeName!=n1", False), ("status.phase=", True), ("metadata.name=a", True)],
)
def test_field_selector(text: str, *, matches: bool) -> None:
    raw = {"metadata": {"name": "a"}, "spec": {"nodeName": "n1"}}

    assert parse_fields(text, PODS)(raw) is matches


def test_field_that_the_kind_does_not_support_is_named() -> None:
    with pytest.raises(
        Failure, match=r"field label not supported: 'spec.color=red'; supported for pods: metadata.name"
    ):
        parse_fields("spec.color=red", PODS)
