"""How much history a decision uses."""

import numpy as np

from policies.buoyancy.history import recent
from policies.values.signals import Grid, ResourceReadings, SignalHistory
from tests.policies.buoyancy.histories import STEP, make_grid, make_history


def make_long() -> SignalHistory:
    grid = make_grid({"n": [0.1, 0.2, 0.3, 0.4]})
    readings = ResourceReadings(node=grid, pressure=grid)
    return make_history({"cpu": readings, "llc": Grid.empty(4)}, slos={"p99": grid})


def test_older_evaluations_are_cut_off_everywhere() -> None:
    cut = recent(make_long(), span=2 * STEP)

    pressure = cut.resources["cpu"].pressure
    assert len(cut.times) == 3
    assert cut.resources["cpu"].node.values.tolist() == [[0.2, 0.3, 0.4]]
    assert pressure is not None
    assert pressure.states.shape == pressure.ages.shape == (1, 3)
    assert cut.slos["p99"].values.tolist() == [[0.2, 0.3, 0.4]]
    assert cut.resources["llc"].pressure is None


def test_a_short_or_empty_history_is_left_as_it_is() -> None:
    long, empty = make_long(), SignalHistory(times=np.empty(0), step=STEP)

    assert recent(long, span=10 * STEP) is long
    assert recent(empty, span=10 * STEP) is empty
