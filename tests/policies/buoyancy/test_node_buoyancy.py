"""Where slack is part of a node's buoyancy."""

import math

import numpy as np
import pytest

from policies.buoyancy.node_buoyancy import IncludeSlack, filter_buoyancy, score_buoyancy

HEADROOM = np.array([0.55, 0.55, math.nan, math.nan])
SLACK = np.array([-0.25, math.nan, -0.25, math.nan])


@pytest.mark.parametrize(
    ("include", "by_filter", "by_score"),
    [
        ("off", [0.55, 0.55, math.nan, math.nan], [0.55, 0.55, math.nan, math.nan]),
        ("score", [0.55, 0.55, math.nan, math.nan], [-0.25, 0.55, -0.25, math.nan]),
        ("filter", [-0.25, 0.55, -0.25, math.nan], [-0.25, 0.55, -0.25, math.nan]),
    ],
)
def test_slack_enters_where_the_policy_says(
    include: IncludeSlack, by_filter: list[float], by_score: list[float]
) -> None:
    assert filter_buoyancy(HEADROOM, SLACK, include).tolist() == pytest.approx(by_filter, nan_ok=True)
    assert score_buoyancy(HEADROOM, SLACK, include).tolist() == pytest.approx(by_score, nan_ok=True)
