"""Capacities in a contended resource's own unit."""

import math

import pytest

from policies.buoyancy.capacities import amount, capacity, capacity_ratio
from tests.builders import make_resources


def test_cpu_is_counted_in_cores_and_memory_in_bytes() -> None:
    room = make_resources(cpu=1500, memory=1024)

    assert amount(room, "cpu") == 1.5
    assert amount(room, "memory") == 1024
    assert amount(room, "memory-bandwidth") == 0


def test_a_node_that_declares_nothing_has_no_capacity() -> None:
    assert math.isnan(capacity(make_resources(cpu=0), "cpu"))


def test_ratio_of_capacities() -> None:
    assert capacity_ratio(make_resources(cpu=8000), make_resources(cpu=16000), "cpu") == pytest.approx(0.5)


def test_undeclared_resources_are_anchored_alike_everywhere() -> None:
    assert capacity_ratio(make_resources(cpu=1), make_resources(cpu=1), "memory-bandwidth") == 1.0
