"""Policies that validate, and their sections."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from hypothesis import strategies as st

from policies.model.buoyancy import Buoyancy
from policies.model.eviction import Eviction
from policies.model.limits import Limit
from policies.model.policy import Policy
from policies.model.scope import Selector
from policies.model.signals import ResourceSignal, Signals
from policies.model.slos import Slo
from policies.values.resources import CPU, MEMORY
from tests.strategies.constraints import LABELS
from tests.strategies.figures import unit_floats


def _section(
    model: Callable[..., Any],
    fields: Mapping[str, st.SearchStrategy[Any]],
    *,
    optional: Mapping[str, st.SearchStrategy[Any]] | None = None,
) -> st.SearchStrategy[Any]:
    """Build a section of the policy, each optional field drawn or left at its default."""
    return st.fixed_dictionaries(dict(fields), optional=dict(optional or {})).map(lambda chosen: model(**chosen))


@st.composite
def thresholds(draw: st.DrawFn) -> Buoyancy:
    """Thresholds in an order that the policy accepts."""
    deschedule, clear = sorted(draw(st.lists(st.floats(-1, 1), min_size=2, max_size=2)))
    return Buoyancy(
        filter_below=draw(st.floats(deschedule, 1)),
        deschedule_below=deschedule,
        clear_above=clear,
        deschedule_after=float(draw(st.integers(0, 600))),
        include_slack=draw(st.sampled_from(("off", "score", "filter"))),
        max_refused_nodes=draw(unit_floats()),
        max_hold=float(draw(st.integers(0, 900))),
    )


@st.composite
def slos(draw: st.DrawFn, name: str = "web-p99") -> Slo:
    """An SLO of either direction."""
    below, clear = sorted(draw(st.lists(st.floats(-2, 1), min_size=2, max_size=2)))
    objective = {draw(st.sampled_from(("at_most", "at_least"))): draw(st.floats(0.001, 1000))}
    return Slo(
        name=name,
        selector=Selector(match_labels=draw(LABELS)),
        indicator="indicator",
        age=draw(st.sampled_from((None, "age"))),
        per=draw(st.sampled_from(("pod", "workload"))),
        window=float(draw(st.integers(0, 600))),
        evict_below=below,
        clear_above=clear,
        **objective,
    )


@cache
def resource_signals() -> st.SearchStrategy[ResourceSignal]:
    """A contended resource with any subset of queries."""
    queries = {name: st.just(f"{name}_query") for name in ("pressure", "pod", "workload", "age", "pod_age")}
    return _section(
        ResourceSignal,
        {"node": st.just("node_query"), "zero": st.floats(0, 1), "full": st.floats(1.1, 100), "gate": unit_floats()},
        optional={**queries, "additive": st.booleans(), "rate_window": st.integers(0, 300).map(float)},
    )


@cache
def evictions() -> st.SearchStrategy[Eviction]:
    """Limits of any width, at most one a scope."""
    limit = _section(
        Limit,
        {
            "scope": st.sampled_from(("workload", "namespace", "node", "cluster")),
            "max": st.integers(0, 20),
            "window": st.integers(1, 3600).map(float),
        },
    )
    choices = {
        "mode": st.sampled_from(("observe", "enforce")),
        "paused": st.booleans(),
        "limits": st.lists(limit, max_size=4, unique_by=lambda one: one.scope).map(tuple),
        "min_ready_replicas": st.integers(0, 3),
        "min_pod_age": st.integers(0, 600).map(float),
        "consecutive": st.integers(1, 5),
        "only_if_node_below": st.just("off") | st.floats(-1, 1),
        "max_breached_share": unit_floats(),
        "fall_back": st.sampled_from(("next", "none")),
        "destination": st.sampled_from(("required", "off")),
        "net_gain": st.sampled_from(("required", "off")),
    }
    return _section(Eviction, {}, optional=choices)


@cache
def policies() -> st.SearchStrategy[Policy]:
    """Policies that validate, measured by Prometheus."""
    signals = _section(
        Signals,
        {
            "step": st.sampled_from((5.0, 15.0, 60.0)),
            "stale_after": st.sampled_from((60.0, 180.0)),
            "min_coverage": unit_floats(),
            "resources": st.dictionaries(st.sampled_from((CPU, MEMORY, "llc")), resource_signals(), max_size=3),
        },
    )
    return _section(
        Policy,
        {
            "api_version": st.just("bayplan.dev/v1alpha1"),
            "kind": st.just("Policy"),
            "signals": signals,
            "slos": st.lists(slos(), max_size=1).map(tuple),
            "buoyancy": thresholds(),
            "eviction": evictions(),
        },
    )
