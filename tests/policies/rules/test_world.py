"""The world that rules look at, and what holds for whatever they propose from it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.buoyancy.standing import stand
from policies.model.policy import Policy
from policies.rules import buoyancy, pod_use, soft_slo
from policies.rules.objectives import node_slacks
from policies.rules.world import World, arithmetic, observe
from policies.values.candidates import Proposal
from policies.values.clusters import Cluster
from policies.values.signals import Floats, Freshness, Grid, ResourceReadings, SignalHistory
from tests.builders import make_cluster, make_node, make_pod
from tests.policies.buoyancy.histories import STEP, make_times
from tests.policies.rules.worlds import make_policy, make_slo

NODES = ("n1", "n2", "n3")
PODS = tuple(make_pod(f"web-{number}", node=node) for number, node in enumerate(NODES * 2))
KEYS = tuple(f"default/{pod.name}" for pod in PODS)
CLUSTER = make_cluster([make_node(name) for name in NODES], PODS)
POLICY = make_policy(
    "cpu",
    "psi",
    slos=[make_slo(window=30.0)],
    consecutive=2,
    deschedule_after=30.0,
    max_breached_share=1.0,
    include_slack="filter",
)
SPAN = int(POLICY.history_span / STEP)
LONG = SPAN + 40

# Blocks of equal values: noise alone would hardly ever stay over a threshold long enough to matter.
BLOCKS = st.lists(st.tuples(st.sampled_from([0.2, 0.6, 0.97, 1.02, 1.3]), st.integers(1, 12)), min_size=1, max_size=12)
STATES = st.sampled_from([Freshness.STALE, Freshness.MISSING, Freshness.NAN])
SLOW = settings(max_examples=60)


@dataclass(frozen=True, slots=True)
class Raw:
    """Everything measured, before anybody looked at its state: values and states by query."""

    values: Mapping[str, Floats]
    states: Mapping[str, np.ndarray]
    verified: Mapping[str, bool]


QUERIES = {"cpu": NODES, "psi": NODES, "p99": KEYS, "pod.cpu": KEYS, "pod.psi": KEYS}


@st.composite
def raws(draw: st.DrawFn) -> Raw:
    """Draw measurements of three nodes and six pods, with holes of every kind and queries without an age."""
    values, states = {}, {}
    for query, objects in QUERIES.items():
        values[query] = np.array([_row(draw(BLOCKS)) for _ in objects])
        states[query] = np.zeros(values[query].shape, dtype=np.uint8)
        holes = st.tuples(st.integers(0, len(objects) - 1), st.integers(1, 20), st.integers(1, 5), STATES)
        for row, back, width, state in draw(st.lists(holes, max_size=3)):
            states[query][row, -back : (-back + width) or None] = state
    verified = {query: draw(st.sampled_from([True, True, True, False])) for query in QUERIES}
    return Raw(values, states, verified)


def _row(blocks: list[tuple[float, int]]) -> Floats:
    repeated = np.concatenate([np.full(count, value) for value, count in blocks])
    return np.resize(repeated[::-1], LONG)[::-1]


def grid(raw: Raw, query: str, columns: int) -> Grid:
    values, states = raw.values[query][:, -columns:], raw.states[query][:, -columns:]
    ages = np.zeros(values.shape)
    # Built without Grid.of on purpose: even values that somebody forgot to blank must not matter.
    objects = QUERIES[query]
    row = {name: at for at, name in enumerate(objects)}
    return Grid(objects=objects, values=values, states=states, ages=ages, verified=raw.verified[query], row=row)


def history(raw: Raw, *, columns: int = LONG) -> SignalHistory:
    return SignalHistory(
        times=make_times(columns),
        step=STEP,
        resources={name: ResourceReadings(node=grid(raw, name, columns)) for name in ("cpu", "psi")},
        slos={"p99": grid(raw, "p99", columns)},
    )


def world_of(raw: Raw, *, columns: int = LONG, cluster: Cluster = CLUSTER, policy: Policy = POLICY) -> World:
    seen = observe(cluster, history(raw, columns=columns), records=(), policy=policy)
    return pod_use.with_pod_use(seen, {name: grid(raw, f"pod.{name}", 1) for name in pod_use.wanted(seen)})


def proposals(world: World) -> tuple[Proposal, ...]:
    return soft_slo.propose(world) + buoyancy.propose(world)


def refusable(world: World) -> dict[str, float | None]:
    standings = stand(world.saturation, include_slack="filter", slacks=node_slacks(world.objectives))
    return {name: one.filter_buoyancy for name, one in standings.items() if one.refusable}


@SLOW
@given(raws())
def test_a_single_run_decides_as_a_loop_does_that_remembers_more(raw: Raw) -> None:
    loop, once = world_of(raw, columns=LONG), world_of(raw, columns=SPAN + 1)

    assert proposals(loop) == proposals(once)
    assert loop.contention.troubled == once.contention.troubled


@SLOW
@given(raws(), st.floats(-1e9, 1e9) | st.sampled_from([math.inf, -math.inf, 0.0]))
def test_values_that_are_not_fresh_change_nothing(raw: Raw, other: float) -> None:
    changed = {query: np.where(raw.states[query] == Freshness.FRESH, raw.values[query], other) for query in QUERIES}

    assert proposals(world_of(replace(raw, values=changed))) == proposals(world_of(raw))
    assert refusable(world_of(replace(raw, values=changed))) == refusable(world_of(raw))


@SLOW
@given(raws(), STATES)
def test_without_a_fresh_newest_value_nobody_is_proposed_or_refused(raw: Raw, state: Freshness) -> None:
    states = {query: found.copy() for query, found in raw.states.items()}
    for query in QUERIES:
        states[query][:, -1] = state
    dark = world_of(replace(raw, states=states))

    assert [one for one in proposals(dark) if one.candidates] == []
    assert stand(dark.saturation, include_slack="off").marked(1.0) == frozenset()


@SLOW
@given(raws(), st.sampled_from([math.nan, math.inf, -math.inf]))
def test_numbers_that_are_none_propose_nobody_whatever_their_state_says(raw: Raw, value: float) -> None:
    values = {query: np.full(found.shape, value) for query, found in raw.values.items()}
    states = {query: np.zeros_like(found) for query, found in raw.states.items()}
    world = world_of(replace(raw, values=values, states=states))

    assert proposals(world) == ()
    assert refusable(world) == {}


@SLOW
@given(raws())
def test_unverified_values_propose_and_refuse_nobody(raw: Raw) -> None:
    world = world_of(replace(raw, verified=dict.fromkeys(QUERIES, False)))

    assert proposals(world) == ()
    assert refusable(world) == {}


@SLOW
@given(raws(), st.permutations(PODS), st.permutations(NODES))
def test_proposals_do_not_depend_on_the_order_of_pods_and_nodes(raw: Raw, pods: list[object], nodes: list[str]) -> None:
    shuffled = make_cluster([make_node(name) for name in nodes], pods)  # type: ignore[arg-type]  # pods, permuted

    assert proposals(world_of(raw, cluster=shuffled)) == proposals(world_of(raw))


@SLOW
@given(raws())
def test_every_candidate_rests_on_fresh_verified_and_lasting_trouble(raw: Raw) -> None:
    world = world_of(raw)

    for proposal in proposals(world):
        for candidate in proposal.candidates:
            if proposal.rule == buoyancy.NAME:
                resource = world.contention.contested_on(candidate.node) or ""
                row = NODES.index(candidate.node)
                newest = raw.values[resource][row, -3:]
                assert raw.verified[resource]
                assert raw.verified[f"pod.{resource}"]
                assert (raw.states[resource][row, -1:] == Freshness.FRESH).all()
                assert newest[-1] > 1
            else:
                row = KEYS.index(str(candidate.pod))
                assert raw.verified["p99"]
                assert raw.states["p99"][row, -1] == Freshness.FRESH
                assert candidate.evidence["slack"] < 0
                assert candidate.evidence["headroom"] < 0.3


@SLOW
@given(raws())
def test_there_is_one_proposal_a_node_and_no_candidate_stands_elsewhere(raw: Raw) -> None:
    found = buoyancy.propose(world_of(raw))
    nodes = [proposal.node for proposal in found]

    assert len(nodes) == len(set(nodes))
    assert all(candidate.node == proposal.node for proposal in found for candidate in proposal.candidates)


def test_the_strategy_reaches_both_rules() -> None:
    """Guard the properties above: they would hold for worlds in which nothing ever happens."""
    values = {query: np.full((len(objects), LONG), 1.3) for query, objects in QUERIES.items()}
    raw = Raw(
        values,
        {query: np.zeros(found.shape, dtype=np.uint8) for query, found in values.items()},
        dict.fromkeys(QUERIES, True),
    )

    assert {proposal.rule for proposal in proposals(world_of(raw)) if proposal.candidates} == {"soft-slo", "buoyancy"}
    assert refusable(world_of(raw)).keys() == set(NODES)


def test_arithmetic_is_the_policys() -> None:
    found = arithmetic(make_policy("psi", signal={"additive": False, "rate_window": 90.0}).signals)

    assert found.additive == frozenset()
    assert found.rate_windows == {"psi": 90.0}


@pytest.mark.parametrize("columns", [1, 3, SPAN + 1])
def test_the_world_has_no_more_evaluations_than_the_history(columns: int) -> None:
    values = {query: np.full((len(objects), LONG), 0.2) for query, objects in QUERIES.items()}
    states = {query: np.zeros(found.shape, dtype=np.uint8) for query, found in values.items()}

    world = world_of(Raw(values, states, dict.fromkeys(QUERIES, True)), columns=columns)

    assert len(world.saturation.times) == columns
    assert proposals(world) == ()
