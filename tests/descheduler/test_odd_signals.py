"""Whatever a source of signals gives, an eviction rests on whole, finite, lasting numbers of the node and the pod."""

import math
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import NOW
from tests.descheduler.scripted import At, ScriptedSignals
from tests.descheduler.site import Site

EVALUATIONS = 13  # of `descheduleAfter` 3m at a step of 15 s
ODD = st.sampled_from((None, math.nan, math.inf, -math.inf, -1.0, 0.0, 0.5, 1.0, 1e308))
HOT = st.sampled_from((1.1, 1.15, 1.3))
# mostly hot, so that evictions do happen: the first is the newest
SERIES = st.lists(
    st.one_of(HOT, HOT, HOT, HOT, HOT, HOT, HOT, HOT, HOT, ODD), min_size=EVALUATIONS, max_size=EVALUATIONS
)
USE = st.one_of(st.floats(0.5, 1.6), ODD)


def over_time(series: Sequence[float | None]) -> At:
    """Return a value that takes these, the newest first, and was calm before."""
    return lambda time: dict(enumerate(series)).get(round((NOW - time) / 15), 0.5)


def site_with(node: Sequence[float | None], web: float | None, api: float | None, *, age: float) -> Site:
    """Return a cluster whose n1 shows this, with two pods that could go."""
    site = Site()
    site.add("web", "n1", "rest", "rest")
    site.add("api", "n1", "rest", "rest")
    nodes: dict[str, float | At] = {"n1": over_time(node), "n2": 0.1, "n3": 0.2, "rest": 0.2}
    pods: dict[str, float | At] = {"default/web-0": lambda _: web, "default/api-0": lambda _: api}
    site.signals = ScriptedSignals(nodes=nodes, pods_use=pods, age=age)
    return site


@settings(max_examples=150)
@given(node=SERIES, web=USE, api=USE, age=st.sampled_from((5.0, 59.0, 61.0, math.nan)))
def test_nothing_odd_ever_evicts(node: list[float | None], web: float | None, api: float | None, age: float) -> None:
    site = site_with(node, web, api, age=age)

    site.process().run()

    for name in site.evictions():
        assert all(value is not None and math.isfinite(value) and value > 1.0 for value in node)
        use = {"web-0": web, "api-0": api}[name]
        assert use is not None
        assert math.isfinite(use)
        assert use > 0
        assert age <= 60
    assert len(site.evictions()) <= 1


def test_what_is_not_odd_does_evict() -> None:
    site = site_with([1.15] * EVALUATIONS, 1.5, 1.0, age=5.0)

    site.process().run()

    assert site.evictions() == ["web-0"]


@settings(max_examples=50)
@given(n2=st.one_of(st.floats(0.0, 0.5), ODD), n3=st.one_of(st.floats(0.0, 0.5), ODD))
def test_nobody_is_sent_to_a_node_with_an_odd_signal(n2: float | None, n3: float | None) -> None:
    site = site_with([1.15] * EVALUATIONS, 1.5, 1.0, age=5.0)
    there: dict[str, float | At] = {"n2": lambda _: n2, "n3": lambda _: n3}
    site.signals.nodes = {**site.signals.nodes, **there}

    decisions = site.process().run().decisions

    for line in decisions:
        if line.kind == "evicted":
            value = {"n2": n2, "n3": n3}[str(line.destination)]
            assert value is not None
            assert math.isfinite(value)
            assert value + 1.5 / 4 <= 0.9 + 1e-9
