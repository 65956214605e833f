"""The checker accepts and refuses what its examples say, and never refuses doing nothing."""

import pytest

from descheduler.optimiser.checking import Rule
from tests.descheduler.optimiser.plan_cases import Example, examples

EXAMPLES = list(examples())


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_example(example: Example) -> None:
    found = example.judge()

    assert {violation.rule for violation in found} == example.broken, [str(violation) for violation in found]
    if example.refused:
        assert any(example.refused in str(violation) for violation in found if violation.rule is example.rule), [
            str(violation) for violation in found
        ]


@pytest.mark.parametrize("rule", Rule)
def test_every_rule_accepts_and_refuses_an_example(rule: Rule) -> None:
    outcomes = {example.refused is None for example in EXAMPLES if example.rule is rule}

    assert outcomes == {True, False}
