"""Coverage of nodes by signals."""

import pytest

from policies.buoyancy.coverage import coverage
from policies.buoyancy.saturation import saturate
from tests.policies.buoyancy.histories import make_grid, make_history, make_saturation, make_signals

TEN = tuple(f"n{number}" for number in range(1, 11))


def test_a_node_counts_when_every_resource_is_whole() -> None:
    found = make_saturation({"cpu": {"n1": [0.1], "n2": [0.1]}, "llc": {"n1": [0.1], "n2": [None]}})

    assert coverage(found, among=("n1", "n2")) == 0.5


def test_only_the_named_nodes_count() -> None:
    found = make_saturation({"cpu": {"n1": [0.1], "n2": [None]}})

    assert coverage(found, among=("n1",)) == 1.0
    assert coverage(found, among=("n1", "n2", "new")) == pytest.approx(1 / 3)
    assert coverage(found, among=()) == 0.0


def test_unverified_resources_are_left_out() -> None:
    grids = {"cpu": make_grid({"n1": [0.1]}), "llc": make_grid({"n1": [None]}, verified=False)}

    assert coverage(saturate(make_history(grids), make_signals("cpu", "llc"), nodes=("n1",)), among=("n1",)) == 1.0


def test_nobody_is_covered_by_unverified_resources_alone_or_without_evaluations() -> None:
    unverified = make_saturation({"cpu": {"n1": [0.1]}}, verified=False)
    empty = saturate(make_history({}, columns=0), make_signals("cpu"), nodes=("n1",))

    assert coverage(unverified, among=("n1",)) == 0.0
    assert coverage(empty, among=("n1",)) == 0.0


@pytest.mark.parametrize(("missing", "share"), [(1, 0.9), (6, 0.4)])
def test_fc_048_nodes_without_samples(missing: int, share: float) -> None:
    series = {name: [None if at < missing else 0.2] for at, name in enumerate(TEN)}

    assert coverage(make_saturation({"cpu": series}), among=TEN) == pytest.approx(share)
