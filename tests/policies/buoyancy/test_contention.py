"""Which nodes are oversubscribed, over which resource, for how long."""

import math

import numpy as np
import pytest

from policies.buoyancy.contention import contend
from policies.buoyancy.debounce import Trigger
from policies.buoyancy.saturation import saturate
from tests.policies.buoyancy.histories import NOW, make_grid, make_history, make_saturation, make_signals

THREE = Trigger(below=0.0, clear_above=0.05, needed=3)


def test_a_node_is_oversubscribed_after_the_whole_debounce() -> None:
    found = contend(make_saturation({"cpu": {"hot": [1.1, 1.1, 1.1], "new": [0.5, 1.1, 1.1]}}), THREE)

    assert found.oversubscribed == ("hot",)
    assert found.hot == ("hot", "new")
    assert found.troubled == {"hot"}


def test_a_node_that_has_cooled_a_little_is_in_trouble_but_not_oversubscribed() -> None:
    found = contend(make_saturation({"cpu": {"n": [1.1, 1.1, 1.1, 0.97]}}), THREE)

    assert found.oversubscribed == ()
    assert found.troubled == {"n"}


def test_resources_that_take_turns_do_not_add_up_to_one_trouble() -> None:
    found = contend(make_saturation({"cpu": {"n": [1.2, 0.5, 1.2]}, "llc": {"n": [0.5, 1.2, 0.5]}}), THREE)

    assert found.hot == ("n",)
    assert found.oversubscribed == ()


def test_a_resource_contested_only_now_is_not_the_one_that_has_been_in_trouble() -> None:
    found = contend(make_saturation({"cpu": {"n": [1.1, 1.1, 1.1]}, "llc": {"n": [0.5, 0.5, 1.3]}}), THREE)

    assert found.contested_on("n") == "llc"
    assert found.oversubscribed == ()
    assert found.troubled == {"n"}


def test_two_resources_in_lasting_trouble_may_take_turns_in_being_the_most_contested() -> None:
    found = contend(make_saturation({"cpu": {"n": [1.1, 1.2, 1.1]}, "llc": {"n": [1.2, 1.1, 1.2]}}), THREE)

    assert found.oversubscribed == ("n",)


@pytest.mark.parametrize("grid", [{"verified": False}, {"stale": ("n",)}], ids=["unverified", "stale"])
def test_nothing_rests_on_values_that_are_not_fresh_and_verified(grid: dict[str, object]) -> None:
    found = contend(make_saturation({"cpu": {"n": [1.5, 1.5, 1.5, 1.5]}}, **grid), THREE)

    assert found.oversubscribed == ()
    assert found.headroom_of("n") is None
    assert found.contested_on("n") is None
    assert found.scores_on("n") == {}


def test_what_is_not_a_node_is_unknown() -> None:
    found = contend(make_saturation({"cpu": {"n": [0.4]}}), THREE)

    assert found.headroom_of("ghost") is None
    assert found.contested_on("ghost") is None
    assert found.scores_on("ghost") == {}
    assert found.headroom_of("n") == pytest.approx(0.6)
    assert not found.remembers


def test_sample_times_are_known_where_ages_are() -> None:
    found = contend(make_saturation({"cpu": {"n": [0.4], "m": [None]}}, age=5.0), THREE)

    assert found.sampled_at("n", "cpu") == NOW - 5
    assert found.sampled_at("m", "cpu") is None


def test_without_resources_nobody_is_oversubscribed() -> None:
    found = contend(saturate(make_history({}, columns=3), make_signals(), nodes=("n",)), THREE)

    assert found.oversubscribed == ()
    assert found.troubled == frozenset()
    assert math.isnan(found.headroom[0])
    assert np.shape(found.trouble) == (0, 1)


def test_a_lower_bound_is_no_score_to_evict_by() -> None:
    history = make_history({"cpu": make_grid({"n": [1.2, 1.2, 1.2]})})

    found = contend(saturate(history, make_signals("cpu", pressure="p"), nodes=("n",)), THREE)

    assert found.oversubscribed == ()
    assert found.headroom_of("n") is None
