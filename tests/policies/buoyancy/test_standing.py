"""How nodes stand at the newest evaluation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from policies.buoyancy.node_buoyancy import IncludeSlack
from policies.buoyancy.node_score import node_score
from policies.buoyancy.saturation import Saturation, saturate
from policies.buoyancy.standing import NodeSlacks, stand
from policies.values.signals import Floats
from policies.values.standings import Confidence
from tests.policies.buoyancy.histories import make_grid, make_history, make_saturation, make_signals

NODES = ("n1", "n2", "n3", "n4")
SCORES = arrays(np.float64, (3, len(NODES)), elements=st.floats(0, 2) | st.just(math.nan))
LOADS = arrays(np.float64, (3, len(NODES)), elements=st.floats(-1, 1))
INCLUDES: tuple[IncludeSlack, ...] = ("off", "score", "filter")


def saturation_of(
    scores: Floats, *, verified: tuple[bool, ...] = (True, True, True), nodes: tuple[str, ...] = NODES
) -> Saturation:
    grids = {
        name: make_grid({node: [value] for node, value in zip(NODES, row, strict=True)}, verified=known)
        for name, row, known in zip(("cpu", "llc", "mbw"), scores.tolist(), verified, strict=True)
    }
    return saturate(make_history(grids), make_signals("cpu", "llc", "mbw"), nodes=nodes)


def test_a_standing_names_what_it_rests_on() -> None:
    saturation = make_saturation({"cpu": {"n": [0.7]}, "llc": {"n": [0.2]}, "mbw": {"n": [None]}})

    one = stand(saturation, include_slack="off", loads=np.array([[0.375], [0.0], [0.5]]))["n"]

    assert one.scores == pytest.approx({"cpu": 1.075, "llc": 0.2})
    assert one.assumed == {"cpu": 0.375}
    assert one.absent == {"mbw": "missing"}
    assert one.contested == "cpu"
    assert one.confidence is Confidence.PARTIAL


def test_unknown_node_has_no_numbers_and_is_not_refusable() -> None:
    one = stand(make_saturation({"cpu": {"n": [None]}}), include_slack="score")["n"]

    assert one.confidence is Confidence.UNKNOWN
    assert (one.headroom, one.filter_buoyancy, one.score_buoyancy, one.contested) == (None, None, None, None)
    assert not one.refusable


def test_a_node_of_which_only_the_slack_is_known_is_partly_known() -> None:
    slacks = NodeSlacks(any={"n": -0.25}, verified={"n": -0.25})

    one = stand(make_saturation({"cpu": {"n": [None]}}), include_slack="score", slacks=slacks)["n"]

    assert (one.confidence, one.score_buoyancy, one.headroom) == (Confidence.PARTIAL, -0.25, None)
    assert not one.refusable


def test_unverified_scores_count_in_the_score_and_never_in_the_filter() -> None:
    standings = stand(saturation_of(np.full((3, 4), 0.95), verified=(False, False, False)), include_slack="off")

    assert standings["n1"].score_buoyancy == pytest.approx(0.05)
    assert standings["n1"].filter_buoyancy is None
    assert standings.marked(0.1) == frozenset()


def test_a_verified_score_refuses_even_where_an_unverified_one_is_larger() -> None:
    scores = np.array([[0.95] * 4, [0.99] * 4, [0.1] * 4])

    one = stand(saturation_of(scores, verified=(True, False, True)), include_slack="off")["n1"]

    assert one.contested == "llc"
    assert one.filter_buoyancy == pytest.approx(0.05)
    assert one.refusable


def test_unverified_slack_scores_but_does_not_refuse() -> None:
    standings = stand(saturation_of(np.full((3, 4), 0.5)), include_slack="filter", slacks=NodeSlacks(any={"n1": -1.0}))

    assert standings["n1"].score_buoyancy == -1.0
    assert standings["n1"].filter_buoyancy == pytest.approx(0.5)


def test_standings_are_a_mapping_in_row_order() -> None:
    standings = stand(saturation_of(np.full((3, 4), 0.5)), include_slack="off")

    assert tuple(standings) == NODES
    assert len(standings) == 4
    assert "ghost" not in standings
    assert standings.resources == ("cpu", "llc", "mbw")


def test_without_an_evaluation_there_is_no_newest_one() -> None:
    saturation = saturate(make_history({}, columns=0), make_signals("cpu"), nodes=("n",))

    with pytest.raises(ValueError, match="0 evaluation times has no newest one; allowed is at least 1"):
        stand(saturation, include_slack="off")


def test_without_resources_only_slack_is_known() -> None:
    saturation = saturate(make_history({}, columns=1), make_signals(), nodes=("n", "m"))

    standings = stand(saturation, include_slack="score", slacks=NodeSlacks(any={"n": 0.4}))

    assert (standings["n"].confidence, standings["m"].confidence) == (Confidence.PARTIAL, Confidence.UNKNOWN)
    assert not standings.full.any()


@given(SCORES, LOADS, st.tuples(*[st.booleans()] * 3), st.sampled_from(INCLUDES), st.floats(-2, 1))
def test_arrays_and_single_nodes_agree(
    scores: Floats, loads: Floats, verified: tuple[bool, ...], include: IncludeSlack, slack: float
) -> None:
    slacks = NodeSlacks(any={"n1": slack, "n2": slack}, verified={"n2": slack})
    standings = stand(saturation_of(scores, verified=verified), include_slack=include, slacks=slacks, loads=loads)
    bare = stand(saturation_of(scores, verified=verified), include_slack=include, slacks=slacks)

    for at, node in enumerate(NODES):
        one = standings[node]
        assert one == bare.after(node, loads[:, at].tolist())
        for array, single in (
            (standings.headroom, one.headroom),
            (standings.filter_buoyancy, one.filter_buoyancy),
            (standings.score_buoyancy, one.score_buoyancy),
        ):
            assert array[at] == pytest.approx(math.nan if single is None else single, nan_ok=True)
        assert bool(standings.full[at] & standings.known[at]) is (one.confidence is Confidence.FULL)
        assert bool(standings.known[at]) is (one.confidence is not Confidence.UNKNOWN)
        assert standings.scores[at] == (0 if one.score_buoyancy is None else node_score(one.score_buoyancy))
        assert one.refusable is (one.filter_buoyancy is not None)


@given(SCORES, st.permutations(NODES))
def test_a_standing_does_not_depend_on_the_order_of_the_nodes(scores: Floats, order: list[str]) -> None:
    straight = stand(saturation_of(scores), include_slack="off")
    shuffled = stand(saturation_of(scores, nodes=tuple(order)), include_slack="off")

    assert {node: shuffled[node] for node in NODES} == dict(straight)


@given(SCORES, st.floats(0, 1), st.floats(0, 1))
def test_more_headroom_never_makes_a_node_worse(scores: Floats, less: float, threshold: float) -> None:
    before = stand(saturation_of(scores), include_slack="off")
    after = stand(saturation_of(np.maximum(scores - less, 0.0)), include_slack="off")

    assert after.marked(threshold) <= before.marked(threshold)
    assert (after.scores >= before.scores).all()
