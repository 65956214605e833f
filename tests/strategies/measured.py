"""What is measured, and how nodes stand by it."""

import numpy as np
from hypothesis import strategies as st

from policies.values.resources import CPU, MEMORY
from policies.values.signals import Freshness, Grid, ResourceReadings, SignalHistory
from policies.values.standings import Confidence, NodeStanding
from tests.builders import NOW


@st.composite
def grids(
    draw: st.DrawFn,
    *,
    objects: tuple[str, ...] = ("n0", "n1", "n2"),
    columns: int = 8,
    values: st.SearchStrategy[float] | None = None,
    verified: bool | None = None,
) -> Grid:
    """What one query says: fresh numbers with stale, missing and NaN among them. Only a fresh value is a number."""
    cells = len(objects) * columns
    states = draw(st.lists(st.sampled_from((Freshness.FRESH, *Freshness)), min_size=cells, max_size=cells))
    numbers = draw(st.lists(st.floats(-1, 3) if values is None else values, min_size=cells, max_size=cells))
    ages = draw(st.lists(st.floats(0, 300), min_size=cells, max_size=cells))
    shape = (len(objects), columns)
    raw = np.array(numbers, dtype=float).reshape(shape)
    seen = np.array(states, np.uint8).reshape(shape)
    seen[~np.isfinite(raw) & (seen == Freshness.FRESH)] = Freshness.NAN
    known = np.where(seen == Freshness.MISSING, np.nan, np.array(ages, dtype=float).reshape(shape))
    sure = draw(st.booleans()) if verified is None else verified
    return Grid.of(objects, values=raw, states=seen, ages=known, verified=sure)


@st.composite
def histories(
    draw: st.DrawFn, *, nodes: tuple[str, ...] = ("n0", "n1", "n2"), columns: int = 8, step: float = 15.0
) -> SignalHistory:
    """Readings of CPU (with pressure, pods and workloads) and of memory, and of one SLO by pod."""
    one_each = {"objects": ("default/web-0", "default/api-0"), "columns": 1}
    cpu = ResourceReadings(
        node=draw(grids(objects=nodes, columns=columns)),
        pressure=draw(st.none() | grids(objects=nodes, columns=columns)),
        pod=draw(st.none() | grids(**one_each)),  # type: ignore[arg-type]  # spelled out once for both
        workload=draw(st.none() | grids(objects=("default/web", "default/api"), columns=1)),
    )
    memory = ResourceReadings(node=draw(grids(objects=nodes, columns=columns)))
    slo = draw(grids(objects=("default/web-0", "default/api-0"), columns=columns))
    moments = NOW - step * np.arange(columns - 1, -1, -1, dtype=float)
    return SignalHistory(times=moments, step=step, resources={CPU: cpu, MEMORY: memory}, slos={"web-p99": slo})


@st.composite
def standings(draw: st.DrawFn, name: str = "n1") -> NodeStanding:
    """How a node stands: unknown, or with scores from which headroom and buoyancy follow."""
    confidence = draw(st.sampled_from(Confidence))
    if confidence is Confidence.UNKNOWN:
        return NodeStanding(node=name, confidence=confidence)
    scores = draw(st.dictionaries(st.sampled_from((CPU, MEMORY)), st.floats(0, 2), min_size=1))
    headroom = 1 - max(scores.values())
    slack = draw(st.none() | st.floats(-3, 1))
    with_slack = headroom if slack is None else min(headroom, slack)
    return NodeStanding(
        node=name,
        confidence=confidence,
        headroom=headroom,
        slack=slack,
        filter_buoyancy=headroom,
        score_buoyancy=with_slack,
        contested=max(scores, key=lambda resource: scores[resource]),
        refusable=draw(st.booleans()),
        scores=scores,
    )
