"""What workloads use per requested unit."""

import pytest

from policies.model.signals import ResourceSignal, Signals
from policies.placement.expected_load import Turn
from policies.placement.use_ratios import use_ratios
from tests.builders import NOW, make_pod, make_resources
from tests.policies.placement.measured import make_history

SIGNALS = Signals(
    resources={"cpu": ResourceSignal(node="q", workload="q", additive=True), "llc": ResourceSignal(node="q")}
)
HISTORY = make_history({"n1": {"cpu": 0.5, "llc": 0.1}}, workloads={"default/web": 1.5, "default/db": float("nan")})


def make_turn(*, at: float, cpu: int = 1000, ended: bool = False) -> Turn:
    return Turn(at, make_pod(requests=make_resources(cpu=cpu)), "default/web", ended)


def test_use_is_divided_by_the_requests_of_all_pods() -> None:
    requested = {"default/web": {"cpu": 3000}, "default/db": {"cpu": 1000}}

    assert use_ratios(HISTORY, signals=SIGNALS, requested=requested, turns=[]) == {("default/web", "cpu"): 0.5}


def test_pods_that_came_just_now_are_not_in_the_measured_use_yet() -> None:
    turns = [make_turn(at=NOW - 30), make_turn(at=NOW - 90), make_turn(at=NOW - 5, ended=True)]

    ratios = use_ratios(HISTORY, signals=SIGNALS, requested={"default/web": {"cpu": 4000}}, turns=turns)

    assert ratios == {("default/web", "cpu"): pytest.approx(0.5)}


def test_a_workload_of_which_every_pod_is_new_has_no_history() -> None:
    turns = [make_turn(at=NOW - 5)]

    assert not use_ratios(HISTORY, signals=SIGNALS, requested={"default/web": {"cpu": 1000}}, turns=turns)


def test_workloads_that_nobody_knows_or_that_request_nothing_have_no_ratio() -> None:
    assert not use_ratios(HISTORY, signals=SIGNALS, requested={"default/web": {"memory": 5}}, turns=[])


def test_resources_of_an_older_policy_are_passed_over() -> None:
    assert not use_ratios(HISTORY, signals=Signals(), requested={"default/web": {"cpu": 3000}}, turns=[])
