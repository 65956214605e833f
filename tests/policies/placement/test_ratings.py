"""Ratings of one node and of all at once agree."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from policies.buoyancy.saturation import Saturation
from policies.buoyancy.standing import NodeSlacks, stand
from policies.placement.ratings import Rating, rate, rate_all
from policies.values.signals import Floats, Freshness
from policies.values.standings import Confidence
from tests.policies.placement.cases import make_standing

NODES = tuple(f"n{number}" for number in range(6))


def make_saturation(scores: Floats, *, verified: tuple[bool, bool] = (True, True)) -> Saturation:
    cube = scores[:, :, None]
    missing = np.isnan(cube)
    return Saturation(
        times=np.array([1000.0]),
        step=15.0,
        nodes=NODES,
        row={name: at for at, name in enumerate(NODES)},
        resources=("cpu", "llc"),
        scores=cube,
        states=np.where(missing, np.uint8(Freshness.MISSING), np.uint8(Freshness.FRESH)),
        whole=~missing,
        verified=np.array(verified),
        newest_sample=np.full(scores.shape, 990.0),
        pressure=np.zeros_like(cube),
        gates=np.full(2, np.nan),
    )


def test_a_full_a_partial_and_an_unknown_node() -> None:
    assert rate(make_standing("n1", 0.05), filter_below=0.1) == Rating(below=0.05, score=1)
    assert rate(make_standing("n1", 0.3, confidence=Confidence.PARTIAL), filter_below=0.1) == Rating(capped=3)
    assert rate(make_standing("n1", None), filter_below=0.1) == Rating()


def test_what_rests_on_an_unverified_value_scores_and_refuses_nothing() -> None:
    assert rate(make_standing("n1", -1.0, refusable=False), filter_below=0.1) == Rating(score=0)


@given(
    scores=arrays(np.float64, (2, 6), elements=st.floats(0, 3) | st.just(float("nan"))),
    verified=st.tuples(st.booleans(), st.booleans()),
    slack=st.dictionaries(st.sampled_from(NODES), st.floats(-2, 1)),
)
def test_all_at_once_is_rated_as_one_by_one(
    scores: Floats, verified: tuple[bool, bool], slack: dict[str, float]
) -> None:
    slacks = NodeSlacks(any=slack, verified=slack)
    standings = stand(make_saturation(scores, verified=verified), include_slack="filter", slacks=slacks)

    ratings = rate_all(standings, filter_below=0.1)

    for name in NODES:
        expected = rate(standings[name], filter_below=0.1)
        assert Rating(ratings.below.get(name), ratings.scores.get(name), ratings.capped.get(name)) == expected
