"""Every worked row of the buoyancy design, from samples or scores to the decision; one runner a table."""

import math

import numpy as np
import pytest

from policies.buoyancy.assumed_load import Change, Sampling, assumed
from policies.buoyancy.averages import average_slack
from policies.buoyancy.contention import contend
from policies.buoyancy.debounce import Trigger
from policies.buoyancy.headroom import pod_buoyancy
from policies.buoyancy.moves import Move, consequence
from policies.buoyancy.node_score import neutral_score
from policies.buoyancy.saturation import saturate
from policies.buoyancy.scores import Anchors, gated, normalise
from policies.buoyancy.soft_limit import Samples, SoftLimit, judge, slacks_of
from policies.buoyancy.standing import NodeSlacks, stand
from policies.values.standings import Confidence
from tests.policies.buoyancy.histories import STEP, make_grid, make_history, make_saturation, make_signals, make_times
from tests.policies.buoyancy.rows import (
    LOADS,
    MOVES,
    NODES,
    WORKLOADS,
    LoadRow,
    MoveRow,
    NodeRow,
    WorkloadRow,
    close,
    named,
)

THRESHOLDS = (0.0, -0.1, -0.2)
AT_ONCE = Trigger(below=0.0, clear_above=0.05, needed=1)


def limit_of(row: WorkloadRow, *, threshold: float = 0.0) -> SoftLimit:
    return SoftLimit(
        objective=row.objective,
        more_is_better=row.more_is_better,
        window=row.wanted * STEP,
        trigger=Trigger(below=threshold, clear_above=threshold + 0.05, needed=1),
    )


@pytest.mark.parametrize("row", named(WORKLOADS))
def test_slack_of_every_sample(row: WorkloadRow) -> None:
    slacks = slacks_of(np.array(row.samples), limit_of(row))

    assert slacks.tolist() == close([math.nan if slack is None else slack for slack in row.slacks])


@pytest.mark.parametrize("row", named(WORKLOADS))
def test_average_slack(row: WorkloadRow) -> None:
    slacks = slacks_of(np.array([row.samples]), limit_of(row))

    average = average_slack(slacks, wanted=row.wanted, kept=2 * row.wanted + 1)[0, -1]

    assert average == close(math.nan if row.average is None else row.average)


@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("row", named(WORKLOADS))
def test_eviction_by_soft_limit(row: WorkloadRow, threshold: float) -> None:
    samples = Samples(
        values=np.array([row.samples]),
        times=make_times(len(row.samples)),
        step=STEP,
        since=np.array([-math.inf]),
        judged_from=np.array([-math.inf]),
    )

    verdicts = judge(samples, limit_of(row, threshold=threshold))

    assert bool(verdicts.breaching[0]) is (threshold in row.evicted_at)


@pytest.mark.parametrize("row", named(WORKLOADS))
def test_pod_buoyancy(row: WorkloadRow) -> None:
    scores = [math.nan if score is None else score for score in row.scores]

    assert pod_buoyancy(row.average, scores) == close(row.buoyancy)


def standing_of(row: NodeRow) -> tuple[Confidence, float | None, bool, int]:
    grids = {
        name: make_grid({"n": [score]}, stale=("n",) if name in row.stale else ())
        for name, score in zip(("cpu", "llc", "mbw"), row.scores, strict=True)
    }
    saturation = saturate(make_history(grids), make_signals("cpu", "llc", "mbw"), nodes=("n",))
    slack = {} if row.slack is None else {"n": row.slack}
    standings = stand(saturation, include_slack=row.include, slacks=NodeSlacks(any=slack, verified=slack))  # type: ignore[arg-type]  # a row's text
    one = standings["n"]
    return one.confidence, one.score_buoyancy, "n" in standings.marked(0.1), int(standings.scores[0])


@pytest.mark.parametrize("row", named(NODES))
def test_node_filter_and_score(row: NodeRow) -> None:
    confidence, buoyancy, refused, score = standing_of(row)

    assert buoyancy == (None if row.buoyancy is None else close(row.buoyancy))
    assert refused is row.refused
    assert score == (row.score or 0)
    assert (confidence is not Confidence.FULL) is row.partial


@pytest.mark.parametrize("row", named(NODES))
def test_node_descheduling(row: NodeRow) -> None:
    grids = {
        name: make_grid({"n": [score]}, stale=("n",) if name in row.stale else ())
        for name, score in zip(("cpu", "llc", "mbw"), row.scores, strict=True)
    }
    contention = contend(saturate(make_history(grids), make_signals("cpu", "llc", "mbw"), nodes=("n",)), AT_ONCE)

    assert contention.oversubscribed == (() if row.contested is None else ("n",))
    if row.contested is not None:
        assert contention.contested_on("n") == row.contested


def test_neutral_score_of_n10_is_0_where_nobody_is_known() -> None:
    assert neutral_score([]) == 0


def test_n11_normalises_a_miss_ratio() -> None:
    assert normalise(np.array([0.95]), Anchors(zero=0.2, full=1.2)).tolist() == close([0.75])


def test_n12_leaves_pressure_below_the_gate_out() -> None:
    assert gated(np.array([0.5]), np.array([0.6]), 0.7).tolist() == close([0.5])


def test_n13_adds_pressure_above_the_gate() -> None:
    score = gated(np.array([0.85]), np.array([0.3]), 0.7)
    contention = contend(make_saturation({"cpu": {"n": score.tolist()}}), AT_ONCE)

    assert score.tolist() == close([1.15])
    assert contention.headroom_of("n") == close(-0.15)
    assert contention.oversubscribed == ("n",)


@pytest.mark.parametrize("row", named(MOVES))
def test_moves(row: MoveRow) -> None:
    move = Move(
        source={"cpu": row.source},
        destination={"cpu": row.destination},
        pod={"cpu": row.pod},
        additive={"cpu"},
        contested="cpu",
        ratios={"cpu": row.ratio},
    )

    found = consequence(move, keep=0.1)

    assert found.source["cpu"] == close(row.source_after)
    assert found.destination["cpu"] == close(row.destination_after)
    assert found.headroom == close(1 - row.destination_after)
    assert found.fits is row.fits
    assert found.gains


@pytest.mark.parametrize("row", named(LOADS))
def test_assumed_load(row: LoadRow) -> None:
    changes = [Change(at=1000.0 + row.bound_after, use=request) for request in row.requests]
    sampling = Sampling(newest=1000.0, rate_window=row.rate_window)

    load = assumed(changes, sampling=sampling, full_capacity=row.allocatable)
    standing = stand(make_saturation({"cpu": {"n": [row.measured]}}), include_slack="off").after("n", [load])

    assert load == close(row.load)
    assert standing.headroom == close(row.headroom)
    assert (standing.filter_buoyancy or 0) < 0.1
