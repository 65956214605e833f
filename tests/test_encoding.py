"""What builders and strategies make reads back as the same values: fakes and decoders speak one language."""

from dataclasses import replace

from hypothesis import given

from policies.model.dumping import dump
from policies.model.loading import load
from policies.model.policy import Policy
from policies.values.clusters import Cluster
from policies.values.nodes import Node
from policies.values.pods import Pod
from policies.values.quantities import parse_quantity
from policies.values.signals import Freshness, Grid, SignalHistory
from policies.values.standings import Confidence, NodeStanding
from sources.kube.decoding.nodes import decode_node
from sources.kube.decoding.pods import decode_pod
from tests import strategies
from tests.builders import make_node, make_pod
from tests.encoding import node_json, pod_json


def test_default_pod_and_node_read_back() -> None:
    assert decode_pod(pod_json(make_pod())) == make_pod()
    assert decode_node(node_json(make_node())) == make_node()


@given(strategies.nodes())
def test_node_reads_back(node: Node) -> None:
    assert decode_node(node_json(node)) == node


@given(strategies.pods())
def test_pod_reads_back(pod: Pod) -> None:
    read = decode_pod(pod_json(pod))

    annotations = {key: value for key, value in read.annotations.items() if key in pod.annotations}
    # A condition has words: kube-scheduler's own where the value has none.
    words = "Unschedulable: " if pod.unschedulable_since is not None else ""
    assert replace(read, annotations=annotations) == replace(pod, unscheduled=pod.unscheduled or words)


@given(strategies.quantities())
def test_every_quantity_is_one(text: str) -> None:
    assert isinstance(parse_quantity(text).numerator, int)


@given(strategies.grids(values=strategies.any_floats()))
def test_grid_shows_numbers_only_where_they_are_fresh(grid: Grid) -> None:
    finite = abs(grid.values) < float("inf")

    assert (finite == (grid.states == Freshness.FRESH)).all()


@given(strategies.policies())
def test_policy_survives_its_own_text(policy: Policy) -> None:
    assert load(dump(policy), file="drawn").policy == policy


@given(strategies.clusters())
def test_cluster_knows_the_node_of_every_bound_pod(cluster: Cluster) -> None:
    assert all(pod.node is None or pod.node in cluster.nodes for pod in cluster.pods.values())


@given(strategies.histories())
def test_history_ends_at_its_newest_column(history: SignalHistory) -> None:
    assert all(reading.node.values.shape[1] == len(history.times) for reading in history.resources.values())


@given(strategies.standings())
def test_standing_is_measured_or_unknown(standing: NodeStanding) -> None:
    assert (standing.headroom is None) == (standing.confidence is Confidence.UNKNOWN)
