"""Moves in flight take room and load at their destination until the replacement is seen bound there."""

from typing import Any

import pytest

from policies.feasibility.outlook import Outlook, look_ahead
from policies.model.signals import ResourceSignal
from policies.values.pods import Phase
from policies.values.records import EvictionRecord, Landing, RecordState
from policies.values.resources import CPU as CPU_RESOURCE
from policies.values.resources import NOTHING
from tests.builders import make_cluster, make_node, make_pod
from tests.policies.situations import make_policy, make_record, make_replicas, make_situation, make_standings

NODES = [make_node(name) for name in ("n1", "n2", "n3")]


def _ahead(record: EvictionRecord, *pods: Any, **changes: Any) -> Outlook:
    cluster = make_cluster(changes.pop("nodes", NODES), pods)
    situation = make_situation(cluster, records=(record,), **changes)
    return look_ahead(situation, make_standings(n1=4.0, n2=1.0, n3=2.0), ())


def _score(outlook: Outlook, node: str) -> float:
    return float(outlook.scores["cpu"][outlook.occupancy.rows.row[node]])


def _free(outlook: Outlook, node: str) -> int:
    return int(outlook.occupancy.free(CPU_RESOURCE)[outlook.occupancy.rows.row[node]])


def test_fc_018_move_in_flight_takes_the_room_of_a_sibling() -> None:
    outlook = _ahead(make_record("web-9", destination="n2"), *make_replicas(nodes=("n3",), cpu=400))

    assert _free(outlook, "n2") == 3600
    assert _score(outlook, "n2") == pytest.approx(0.25 + 0.1)


def test_measured_load_of_the_pod_goes_before_its_request() -> None:
    record = make_record("web-9", destination="n2", evidence={"pod.cpu": 0.3, "pod.psi": 0.9, "headroom": -0.1})

    outlook = _ahead(record, *make_replicas(nodes=("n3",), cpu=400))

    assert _score(outlook, "n2") == pytest.approx(0.25 + 0.3)


def test_request_counts_on_the_scale_of_the_score() -> None:
    half = ResourceSignal(node="cpu", additive=True, full=0.5)

    outlook = _ahead(
        make_record("web-9", destination="n2"),
        *make_replicas(nodes=("n3",), cpu=400),
        policy=make_policy(resources={"cpu": half}),
    )

    assert _score(outlook, "n2") == pytest.approx(0.25 + 0.2)


def test_resource_that_nodes_do_not_declare_gets_no_load_from_requests() -> None:
    nodes = [make_node("n1"), make_node("n2", allocatable=NOTHING), make_node("n3")]

    outlook = _ahead(make_record("web-9", destination="n2"), *make_replicas(nodes=("n3",)), nodes=nodes)

    assert _score(outlook, "n2") == 0.25


def test_pod_that_still_ends_gives_its_own_size() -> None:
    going = make_pod("web-9", cpu=700, terminating=True)

    outlook = _ahead(make_record("web-9", destination="n2"), going, *make_replicas(nodes=("n3",), cpu=400))

    assert _free(outlook, "n2") == 3300


def test_unbound_replacement_gives_its_own_size() -> None:
    waiting = make_pod("web-7", node=None, cpu=900)

    outlook = _ahead(make_record("web-9", destination="n2", replacement="web-7"), waiting)

    assert _free(outlook, "n2") == 3100


def test_replacement_that_is_bound_counts_where_it_is() -> None:
    bound = make_pod("web-7", node="n3", cpu=900, ready=False, phase=Phase.PENDING)

    outlook = _ahead(make_record("web-9", destination="n2", replacement="web-7"), bound)

    assert _free(outlook, "n2") == 4000
    assert _free(outlook, "n3") == 3100


@pytest.mark.parametrize(
    "record",
    [
        make_record("web-9", destination=None),
        make_record("web-9", destination="vanished"),
        make_record("web-9", destination="n2", landed_on="n3", landing=Landing.MOVED),
        make_record("web-9", destination="n2", state=RecordState.REFUSED),
        make_record("web-9", destination="n2", state=RecordState.OBSERVED),
        make_record("web-9", destination="n2", ago=600),
    ],
    ids=["no destination", "unknown node", "landed elsewhere", "refused", "observed", "given up"],
)
def test_record_without_a_move_in_flight_takes_nothing(record: EvictionRecord) -> None:
    outlook = _ahead(record, *make_replicas(nodes=("n3",), cpu=400))

    assert _free(outlook, "n2") == 4000
    assert _score(outlook, "n2") == 0.25
    assert not outlook.unsized


@pytest.mark.parametrize("workload", [None, "web"])
def test_pod_in_flight_whose_size_nobody_knows_closes_its_destination(workload: str | None) -> None:
    outlook = _ahead(make_record("web-9", workload=workload, destination="n2"))

    assert outlook.unsized == {"n2"}
