"""Selectors and shares of PodDisruptionBudgets, as this project's own observer reads them."""

import pytest

from controlplane import budgets


@pytest.mark.parametrize(
    ("selector", "met"),
    [
        ({}, True),
        ({"matchLabels": {"app": "web"}}, True),
        ({"matchLabels": {"app": "web", "tier": "back"}}, False),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["db", "web"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["db"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, False),
        ({"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "x", "operator": "Exists"}]}, False),
    ],
)
def test_selector(selector: dict[str, object], met: bool) -> None:  # noqa: FBT001  # the case's answer
    assert budgets.matches(selector, {"app": "web"}) is met


def test_an_operator_that_nobody_knows_is_no_silent_no() -> None:
    with pytest.raises(ValueError, match="has the operator 'Near'; known are In, NotIn, Exists, DoesNotExist"):
        budgets.matches({"matchExpressions": [{"key": "app", "operator": "Near"}]}, {})


def test_a_budget_without_a_selector_is_about_nobody() -> None:
    assert not budgets.covers({"spec": {}}, {"metadata": {"labels": {"app": "web"}}})
