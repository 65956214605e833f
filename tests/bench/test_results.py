"""The table says what was seen and whether it is enough."""

import math

from hypothesis import given
from hypothesis import strategies as st

from bench.results import Result, Spread, table
from bench.scraping import Histogram


def test_a_missed_target_stands_out() -> None:
    found = [
        Result(row="filter", what="latency", target="≤ 10 ms", seen="12 ms", met=False),
        Result(row="memory", what="resident", target="≤ 1 GiB", seen="0.5 GiB", met=True, ratio="0.5", remarks="twice"),
    ]

    lines = table(found).splitlines()

    assert lines[2] == "| `filter` | latency | ≤ 10 ms | 12 ms |  | **no** |  |"
    assert lines[3] == "| `memory` | resident | ≤ 1 GiB | 0.5 GiB | 0.5 | yes | twice |"


@given(st.lists(st.floats(0, 10), min_size=1), st.sampled_from([50, 90, 99]))
def test_a_percentile_is_a_sample_that_enough_others_do_not_exceed(values: list[float], percent: int) -> None:
    seen = Spread(values).at(percent)

    assert seen in values
    assert sum(value <= seen for value in values) >= len(values) * percent / 100


def test_a_histogram_tells_shares_and_a_median_within_its_bucket() -> None:
    histogram = Histogram({0.001: 0, 0.002: 30, 0.01: 40, math.inf: 40})

    assert histogram.share_within(0.002) == 0.75
    assert histogram.all_within() == 0.01
    assert math.isclose(histogram.median(), 0.001 + 0.001 * 20 / 30)


def test_a_histogram_without_observations_tells_nothing() -> None:
    empty = Histogram({0.001: 0, math.inf: 0})

    assert math.isnan(empty.share_within(0.001))
    assert math.isnan(empty.median())
