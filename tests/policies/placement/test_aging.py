"""Readings that grow old between two polls."""

from dataclasses import replace

import numpy as np
import pytest

from policies.placement.aging import aged, next_expiry, with_last_known
from policies.values.signals import Freshness, ResourceReadings, SignalHistory
from tests.builders import NOW
from tests.policies.placement.measured import make_grid, make_history


def test_a_value_is_stale_once_it_is_too_old() -> None:
    history = make_history({"n1": {"cpu": 0.5}}, age=40.0)

    at_the_limit = aged(history, at=NOW + 20, stale_after=60.0).resources["cpu"].node
    after_it = aged(history, at=NOW + 20.1, stale_after=60.0).resources["cpu"].node

    assert at_the_limit.newest("n1") == 0.5
    assert at_the_limit.ages[0, -1] == 60.0
    assert after_it.newest("n1") is None
    assert after_it.state("n1") is Freshness.STALE


def test_a_value_of_unknown_age_is_as_old_as_its_reading() -> None:
    history = make_history({"n1": {"cpu": 0.5}}, age=float("nan"))

    assert aged(history, at=NOW + 60, stale_after=60.0).resources["cpu"].node.newest("n1") == 0.5
    assert aged(history, at=NOW + 61, stale_after=60.0).resources["cpu"].node.newest("n1") is None


def test_pressure_and_workloads_grow_old_too() -> None:
    grid = make_grid({"n1": 0.5}, age=50.0)
    history = SignalHistory(
        times=np.array([NOW]),
        step=15.0,
        resources={"cpu": ResourceReadings(node=grid, pressure=grid, workload=grid)},
    )

    readings = aged(history, at=NOW + 11, stale_after=60.0).resources["cpu"]

    assert readings.pressure is not None
    assert readings.pressure.newest("n1") is None
    assert readings.workload is not None
    assert readings.workload.newest("n1") is None


def test_a_value_of_unknown_age_grows_old_over_several_looks_too() -> None:
    history = make_history({"n1": {"cpu": 0.5}}, age=float("nan"))

    later = aged(history, at=NOW + 40, stale_after=60.0)

    assert aged(later, at=NOW + 61, stale_after=60.0).resources["cpu"].node.newest("n1") is None


@pytest.mark.parametrize("failures", [{"cpu.node": "HTTP 503"}, {"cpu.age": "HTTP 503"}])
def test_a_resource_that_could_not_be_asked_for_keeps_its_values_while_they_are_fresh(
    failures: dict[str, str],
) -> None:
    last = make_history({"n1": {"cpu": 0.5, "llc": 0.1}}, age=10.0)
    latest = replace(make_history({"n1": {"llc": 0.3}}, at=NOW + 15), failures=failures)

    soon = with_last_known(latest, last, stale_after=60.0)
    late = with_last_known(replace(latest, times=latest.times + 50), last, stale_after=60.0)

    assert soon.resources["cpu"].node.newest("n1") == 0.5
    assert soon.resources["cpu"].node.ages[0, -1] == 25.0
    assert soon.resources["llc"].node.newest("n1") == 0.3
    assert late.resources["cpu"].node.newest("n1") is None


def test_a_resource_that_was_asked_for_and_has_no_series_keeps_nothing() -> None:
    last = make_history({"n1": {"cpu": 0.5}})
    latest = SignalHistory(
        times=np.array([NOW + 15]), step=15.0, resources={"cpu": ResourceReadings(node=make_grid({}))}
    )

    assert with_last_known(latest, last, stale_after=60.0) is latest


def test_a_poll_that_brought_nothing_at_all_keeps_everything() -> None:
    last = make_history({"n1": {"cpu": 0.5}})
    latest = SignalHistory(times=np.array([NOW + 15]), step=15.0, failures={"reading": "the child was ended"})

    assert with_last_known(latest, last, stale_after=60.0).resources["cpu"].node.newest("n1") == 0.5


def test_readings_are_never_made_younger() -> None:
    history = make_history({"n1": {"cpu": 0.5}})

    assert aged(history, at=NOW - 5, stale_after=60.0) is history


@pytest.mark.parametrize(("age", "expiry"), [(40.0, NOW + 20), (70.0, NOW), (float("nan"), NOW + 60)])
def test_the_oldest_fresh_value_expires_first(age: float, expiry: float) -> None:
    readings = make_history({"n1": {"cpu": 0.5}, "n2": {"cpu": 0.1}}, age=age)
    younger = {"llc": ResourceReadings(node=make_grid({"n1": 0.1}, age=0.0), pressure=make_grid({}, age=0.0))}

    assert next_expiry(replace(readings, resources={**readings.resources, **younger}), stale_after=60.0) == expiry


def test_without_a_fresh_value_nothing_expires() -> None:
    assert next_expiry(make_history({}), stale_after=60.0) == float("inf")
