"""What must hold for every cluster, however odd: nobody protected is chosen, and nobody without a place to go."""

from dataclasses import replace
from typing import Any

from hypothesis import Phase as HypothesisPhase
from hypothesis import find, given, settings
from hypothesis import strategies as st

from policies.checking import choose
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicates import feasible
from policies.model.limits import Limit
from policies.model.policy import Policy
from policies.rails.order import RAILS, first_refusal
from policies.rails.situation import Situation
from policies.rails.view import View
from policies.values.candidates import Candidate, Proposal, Victim
from policies.values.clusters import Cluster
from policies.values.nodes import Node
from policies.values.pods import UNCONSTRAINED, Phase, Pod
from policies.values.records import EvictionRecord, Landing, RecordState
from policies.values.resources import Resources, total
from policies.values.standings import Confidence, NodeStanding
from tests import strategies
from tests.builders import make_cluster, make_node, make_pod, make_workload
from tests.policies.situations import make_policy, make_record, make_standing

NAMES = ("n0", "n1", "n2", "n3")
# Lively on purpose: with the shipped protection hardly anything drawn at random would ever be chosen.
EAGER: dict[str, Any] = {"min_ready_replicas": 0, "min_pod_age": 0.0, "max_unusable_nodes": 1.0}
FEW_LIMITS = st.lists(
    st.builds(
        Limit,
        scope=st.sampled_from(("workload", "namespace", "node", "cluster")),
        max=st.integers(0, 4),
        window=st.just(600.0),
    ),
    max_size=2,
    unique_by=lambda limit: limit.scope,
).map(tuple)


@st.composite
def lively_clusters(draw: st.DrawFn) -> Cluster:
    """Clusters of running pods of Deployments, most of which could move, and a few odd nodes and pods among them."""
    odd_node = draw(st.sampled_from((None, None, *NAMES)))
    nodes = [draw(strategies.nodes(name)) if name == odd_node else make_node(name) for name in NAMES]
    pods = [_running(draw, at) for at in range(draw(st.integers(1, 8)))]
    odd = [draw(strategies.pods("odd-0", on=st.sampled_from(NAMES)))] if draw(st.booleans()) else []
    return make_cluster(nodes, [*pods, *odd], [make_workload(name) for name in ("web", "api", "db")])


def _running(draw: st.DrawFn, at: int) -> Pod:
    return make_pod(
        f"pod-{at}",
        node=draw(st.sampled_from(("n0", "n0", "n0", *NAMES))),
        workload=draw(st.sampled_from(("web", "api", "db"))),
        cpu=draw(st.integers(0, 1500)),
        constraints=draw(strategies.constraints()) if draw(st.integers(0, 5)) == 0 else UNCONSTRAINED,
    )


def records() -> st.SearchStrategy[tuple[EvictionRecord, ...]]:
    """Ledgers of what may have happened to the same workloads."""
    one = st.builds(
        lambda pod, ago, node, state, landing, workload: make_record(
            pod, ago=ago, node=node, state=state, landing=landing, workload=workload, destination="n2"
        ),
        st.sampled_from(("pod-0", "pod-1", "gone-0", "gone-1")),
        st.integers(0, 2000).map(float),
        st.sampled_from(NAMES),
        st.sampled_from(RecordState),
        st.sampled_from(Landing),
        st.sampled_from(("web", "api", None)),
    )
    return st.lists(one, max_size=2).map(tuple)


@st.composite
def cycles(draw: st.DrawFn) -> tuple[Situation, list[Proposal], dict[str, NodeStanding], frozenset[str]]:
    """Everything that `choose` is given."""
    cluster = draw(lively_clusters())
    policy = make_policy(**EAGER, limits=draw(FEW_LIMITS), victims_per_node=draw(st.integers(1, 4)))
    situation = Situation(cluster=cluster, policy=policy, observing=draw(st.booleans()), records=draw(records()))
    standings = {name: draw(_standing_of(name)) for name in NAMES} | {"n0": make_standing("n0", 4.4)}
    pods = draw(st.permutations(sorted(cluster.pods.values(), key=str)))
    proposals = [
        Proposal(rule="buoyancy", trouble="hot", candidates=(_candidate(pod, draw(st.floats(0, 0.3))),)) for pod in pods
    ]
    return situation, proposals, standings, draw(st.frozensets(st.sampled_from(NAMES), max_size=1))


def _standing_of(name: str) -> st.SearchStrategy[NodeStanding]:
    measured = st.floats(0, 2).map(lambda demand: make_standing(name, demand))
    return measured | measured | strategies.standings(name)


def _candidate(pod: Pod, cpu: float) -> Candidate:
    return Candidate(pod=pod, node=pod.node or "", rule="buoyancy", reason="hot", scores={"cpu": cpu})


# A whole cycle takes a while to draw; the shipped profile's number of examples would take too long on a busy machine.
SOME = settings(max_examples=60)
Cycle = tuple[Situation, list[Proposal], dict[str, NodeStanding], frozenset[str]]


@SOME
@given(cycle=cycles())
def test_no_victim_is_anybody_whom_a_rail_refuses(cycle: Cycle) -> None:
    situation, proposals, standings, troubled = cycle
    proposed = frozenset(candidate.pod.uid for proposal in proposals for candidate in proposal.candidates)

    outcomes = choose(proposals, situation, standings, troubled)

    now = replace(situation, proposed=proposed)
    for outcome in outcomes:
        if outcome.victim is not None:
            assert [rail.name for rail in RAILS if rail.check(outcome.victim.candidate, now) is not None] == []
            now = now.plus(outcome.victim)


@SOME
@given(cycle=cycles())
def test_every_victim_has_a_feasible_measured_destination_that_is_not_its_source(cycle: Cycle) -> None:
    situation, proposals, standings, troubled = cycle

    for outcome in choose(proposals, situation, standings, troubled):
        if outcome.victim is None:
            continue
        candidate, node = outcome.victim.candidate, outcome.victim.destination
        assert node is not None
        assert node != candidate.node
        assert node not in troubled
        assert standings[node].confidence is Confidence.FULL
        assert standings[node].refusable
        assert feasible(candidate.pod, node, Occupancy(View(situation.cluster, ()))) is None
        assert outcome.victim.destination_headroom is not None
        assert outcome.victim.destination_headroom >= situation.policy.buoyancy.filter_below - 1e-9


@SOME
@given(cycle=cycles())
def test_moves_of_one_cycle_together_fit_by_requests(cycle: Cycle) -> None:
    situation = cycle[0]

    victims = _victims(cycle)

    for name in {victim.destination for victim in victims if victim.destination is not None}:
        coming = [victim.candidate.pod.requests for victim in victims if victim.destination == name]
        here = [pod.requests for pod in situation.cluster.pods.values() if pod.node == name and not pod.ended]
        room = situation.cluster.nodes[name].allocatable
        asked = {resource for amounts in coming for resource, amount in amounts.amounts.items() if amount > 0}
        assert all(total([*here, *coming])[resource] <= room[resource] for resource in asked)


@SOME
@given(cycle=cycles())
def test_every_candidate_is_answered_once(cycle: Cycle) -> None:
    situation, proposals, standings, troubled = cycle

    outcomes = choose(proposals, situation, standings, troubled)

    assert [outcome.proposal for outcome in outcomes] == proposals
    for outcome in outcomes:
        answered = [candidate for candidate, _ in outcome.refused]
        answered += [outcome.victim.candidate] if outcome.victim is not None else []
        assert answered == list(outcome.proposal.candidates)


@SOME
@given(cluster=strategies.clusters(), more=strategies.requests(), data=st.data())
def test_more_free_capacity_never_makes_a_node_infeasible(
    cluster: Cluster, more: Resources, data: st.DataObject
) -> None:
    if not cluster.nodes:
        return
    pod, grown = data.draw(strategies.pods("newcomer")), data.draw(st.sampled_from(sorted(cluster.nodes)))
    bigger = {name: _grown(node, more) if name == grown else node for name, node in cluster.nodes.items()}

    before = Occupancy(View(cluster, ()))
    after = Occupancy(View(replace(cluster, nodes=bigger), ()))

    for name in cluster.nodes:
        assert feasible(pod, name, after) is None or feasible(pod, name, before) is not None


def _grown(node: Node, more: Resources) -> Node:
    return replace(node, allocatable=node.allocatable + more)


@SOME
@given(cluster=strategies.clusters(), data=st.data())
def test_a_pod_less_never_makes_room_scarcer(cluster: Cluster, data: st.DataObject) -> None:
    if not cluster.nodes or not cluster.pods:
        return
    gone = data.draw(st.sampled_from(sorted(cluster.pods)))
    pod = make_pod("newcomer", node=None, cpu=data.draw(st.integers(0, 4000)))
    fewer = replace(cluster, pods={uid: other for uid, other in cluster.pods.items() if uid != gone})

    before, after = Occupancy(View(cluster, ())), Occupancy(View(fewer, ()))

    for name in cluster.nodes:
        assert feasible(pod, name, after) is None or feasible(pod, name, before) is not None


@SOME
@given(cluster=strategies.clusters(), policy=strategies.policies(), observing=st.booleans())
def test_no_rail_breaks_on_whatever_the_api_can_show(cluster: Cluster, *, policy: Policy, observing: bool) -> None:
    situation = Situation(cluster=cluster, policy=policy, observing=observing)

    for pod in cluster.pods.values():
        candidate = Candidate(pod=pod, node=pod.node or "", rule="buoyancy", reason="hot")
        refusals = [refusal for rail in RAILS if (refusal := rail.check(candidate, situation)) is not None]

        assert first_refusal(candidate, situation) == (refusals[0] if refusals else None)
        assert all(refusal.message for refusal in refusals)
        if pod.phase is not Phase.RUNNING or pod.node is None or pod.terminating or pod.owner is None:
            assert refusals


def test_the_cycles_drawn_here_do_have_victims() -> None:
    """Otherwise what is said of victims above would be said of nobody."""
    first_found = settings(database=None, derandomize=True, max_examples=1000, phases=(HypothesisPhase.generate,))

    cycle = find(cycles(), lambda drawn: len(_victims(drawn)) > 1, settings=first_found)

    assert len(_victims(cycle)) > 1


def _victims(cycle: Cycle) -> list[Victim]:
    situation, proposals, standings, troubled = cycle
    outcomes = choose(proposals, situation, standings, troubled)
    return [outcome.victim for outcome in outcomes if outcome.victim is not None]
