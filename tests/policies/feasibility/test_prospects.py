"""The arithmetic about moves over arrays answers as the arithmetic about one move does."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from policies.buoyancy.moves import Move, consequence
from policies.feasibility.prospects import Moves, prospects

RESOURCES = ("cpu", "llc", "mbw")
SCORES = st.floats(0, 2).map(lambda score: round(score, 3))
NODES = st.lists(st.dictionaries(st.sampled_from(RESOURCES), SCORES), min_size=1, max_size=5)
PODS = st.dictionaries(st.sampled_from(("cpu", "mbw")), st.floats(0, 1).map(lambda score: round(score, 3)))


@given(
    source=st.dictionaries(st.sampled_from(RESOURCES), SCORES),
    nodes=NODES,
    pod=PODS,
    contested=st.sampled_from(RESOURCES),
    ratio=st.sampled_from((0.5, 1.0, 2.0)),
    keep=st.sampled_from((0.0, 0.1, 0.3)),
)
def test_many_moves_at_once_are_as_each_by_itself(
    source: dict[str, float],
    nodes: list[dict[str, float]],
    pod: dict[str, float],
    contested: str,
    ratio: float,
    keep: float,
) -> None:
    moves = Moves(
        source=source,
        pod=pod,
        contested=contested,
        destinations={name: np.array([node.get(name, np.nan) for node in nodes]) for name in RESOURCES},
        ratios={name: np.full(len(nodes), ratio) for name in pod},
    )

    found = prospects(moves, keep=keep)

    for at, node in enumerate(nodes):
        move = Move(
            source=source,
            destination=node,
            pod=pod,
            additive={"cpu", "mbw"},
            contested=contested,
            ratios=dict.fromkeys(pod, ratio),
        )
        expected = consequence(move, keep=keep)
        assert math.isclose(found.headroom[at], expected.headroom, abs_tol=1e-9)
        assert bool(found.fits[at]) is expected.fits
        assert bool(found.gains[at]) is expected.gains


def test_contested_resource_that_no_node_measures_neither_fits_nor_gains() -> None:
    for pod in ({}, {"cpu": 0.2}):
        moves = Moves(
            source={"cpu": 1.2},
            pod=pod,
            contested="cpu",
            destinations={"llc": np.array([0.1])},
            ratios={name: np.array([1.0]) for name in pod},
        )

        found = prospects(moves, keep=0.1)

        assert not found.fits.any()
        assert not found.gains.any()


def test_without_any_resource_there_is_nothing_to_say() -> None:
    found = prospects(Moves(source={}, pod={}, contested="cpu", destinations={}, ratios={}), keep=0.1)

    assert len(found.headroom) == len(found.fits) == len(found.gains) == 0
