"""The presets as the rules obey them."""

from collections.abc import Mapping
from pathlib import Path

import pytest

import policies.presets
from policies.buoyancy.averages import samples_wanted
from policies.model.loading import load
from policies.model.policy import Policy
from policies.rules import soft_slo
from tests.builders import make_pod
from tests.policies.rules.worlds import COLUMNS, Given, make_slo, rails, steady, victims

PRESETS = {path.stem: path for path in Path(policies.presets.__path__[0]).glob("*.yaml")}
WEB = tuple(make_pod(f"web-{number}", node=f"n{number}") for number in range(3))


def preset(name: str) -> Policy:
    """Return a preset with one objective, as each waits for the operator's own."""
    path = PRESETS[name]
    return load(path.read_text(), file=str(path)).policy.model_copy(update={"slos": (make_slo(),)})


def all_breach(policy: Policy, *, idle: Mapping[str, float]) -> Given:
    """Return three replicas that all breach, on nodes that are idle over every resource of the policy."""
    raw = {
        name: signal.zero + idle.get(name, 0.1) * (signal.full - signal.zero)
        for name, signal in policy.signals.resources.items()
    }
    return Given(
        policy=policy,
        scores={name: {f"n{number}": steady(value) for number in range(3)} for name, value in raw.items()},
        slack={"p99": {f"default/web-{number}": steady(-0.2 - number / 10) for number in range(3)}},
        pods=WEB,
    )


def test_the_paper_preset_evicts_when_all_replicas_breach_on_idle_nodes() -> None:
    assert victims(all_breach(preset("paper"), idle={}).proposals()) == [["web-2"]]


@pytest.mark.parametrize("name", sorted(PRESETS.keys() - {"paper", "metrics-server"}))
def test_every_other_preset_calls_that_no_placement_problem(name: str) -> None:
    proposals = all_breach(preset(name), idle={}).proposals()

    assert victims(proposals) == []
    assert rails(proposals) == [soft_slo.NOT_PLACEMENT]


def test_the_paper_preset_needs_one_evaluation_of_an_oversubscribed_node() -> None:
    policy = preset("paper")
    given = all_breach(policy.model_copy(update={"slos": ()}), idle={})
    scores = {**given.scores, "cpu": {**given.scores["cpu"], "n0": [*steady(0.1, COLUMNS - 1), 1.2]}}
    use = {"cpu": {"web-0": 2.0}}

    found = Given(policy=given.policy, scores=scores, pods=WEB, use=use).proposals()

    assert victims(found) == [["web-0"]]


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_no_preset_makes_a_hard_limit_of_the_usual_window(name: str) -> None:
    assert samples_wanted(make_slo().window, preset(name).signals.step) > 1
