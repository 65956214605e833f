"""Where a pod may go, and that nobody leaves without a place (cases 016 to 023)."""

from typing import Any

import pytest

from policies.checking import choose
from policies.values.candidates import Proposal
from policies.values.pods import Constraints, SpreadConstraint
from policies.values.volumes import Claim, CsiNode, StorageClass, Volume
from tests.builders import GIB, make_node, make_resources
from tests.policies.feasibility.places import ZONE, in_zone, labelled
from tests.policies.field_cases.cases import FREE, Case, run, staged
from tests.policies.situations import (
    chosen,
    make_policy,
    make_record,
    make_situation,
    refusals,
)


def test_fc_016_volume_keeps_its_pod_in_its_zone() -> None:
    volume: dict[str, Any] = {
        "claims": {"default/data": Claim(namespace="default", name="data", volume="pv")},
        "volumes": {"pv": Volume(name="pv", node_terms=(in_zone("a"),))},
    }
    away = (make_node("n2", labels={ZONE: "b"}), make_node("n3", labels={ZONE: "b"}))
    demand: dict[str, dict[str, float]] = {"n1": {"db-0": 1.0, "ds": 3.6}, "n2": {}, "n3": {}}
    bound = {"db-0": {"claims": ("data",)}}

    stuck = run(Case(demand, nodes=away, pods=bound), **volume)
    helped = run(Case({**demand, "n4": {}}, nodes=away, pods=bound), **volume)

    assert chosen(stuck) == []
    assert "2 volume zone" in refusals(stuck)["db-0"]
    assert chosen(helped) == [("db-0", "n4")]


def _four_with_volumes() -> tuple[Case, dict[str, Any]]:
    network = frozenset({"ReadWriteOnce"})
    claims = (
        Claim(namespace="default", name="once", volume="pv-a", access_modes=network),
        Claim(namespace="default", name="many", volume="nfs", access_modes=frozenset({"ReadWriteMany"})),
        Claim(namespace="default", name="later", storage_class="waits"),
    )
    fields = {
        "claims": {f"default/{claim.name}": claim for claim in claims},
        "volumes": {"pv-a": Volume(name="pv-a", node_terms=(in_zone("a"),)), "nfs": Volume(name="nfs")},
        "storage_classes": {"waits": StorageClass(name="waits", waits_for_first_consumer=True)},
    }
    demands = {"p1-0": 1.0, "p2-0": 1.0, "p3-0": 1.0, "p4-0": 1.0, "ds": 0.5}
    pods = {"p1-0": {"claims": ("once",)}, "p2-0": {"claims": ("many",)}, "p3-0": {"claims": ("later",)}}
    nodes = (make_node("n2", labels={ZONE: "b"}, cpu=8000), make_node("n3"))
    return Case({"n1": demands, "n2": {}, "n3": {}}, nodes=nodes, pods=pods), fields


def test_fc_017_pods_with_claims_move_where_their_volume_can_be_attached() -> None:
    case, volumes = _four_with_volumes()
    stage = staged(case, **volumes)
    candidates = stage.proposals[0].candidates
    proposals = [Proposal(rule="buoyancy", trouble="n1", node="n1", candidates=(each,)) for each in candidates]
    switched_off = FREE.model_copy(
        update={"eviction": FREE.eviction.model_copy(update={"evict_pods_with_claims": False})}
    )

    outcomes, without = (
        choose(proposals, make_situation(stage.cluster, policy=policy), stage.standings, stage.hot)
        for policy in (FREE, switched_off)
    )

    assert chosen(outcomes) == [("p1-0", "n3"), ("p2-0", "n2"), ("p4-0", "n2")]
    assert refusals(outcomes) == {"p3-0": "node-bound-volume: claim default/later is unbound"}
    assert chosen(without) == [("p4-0", "n2")]
    assert {why.partition(":")[0] for why in refusals(without).values()} == {"claims"}


@pytest.mark.parametrize(("most", "where"), [(1, []), (2, [("db-0", "n2")])])
def test_fc_017_pods_with_claims_stay_where_no_node_can_attach_one_volume_more(
    most: int, where: list[tuple[str, str]]
) -> None:
    names = ("data", "other")
    volumes: dict[str, Any] = {
        "claims": {f"default/{name}": Claim(namespace="default", name=name, volume=name) for name in names},
        "volumes": {name: Volume(name=name, driver="disk.example.invalid") for name in names},
        "csi_nodes": {"n2": CsiNode(name="n2", attachable={"disk.example.invalid": most})},
    }
    case = Case(
        {"n1": {"db-0": 1.0, "ds": 3.6}, "n2": {"log-0": 0.5}},
        pods={"db-0": {"claims": ("data",)}, "log-0": {"claims": ("other",)}},
    )

    outcomes = run(case, **volumes)

    assert chosen(outcomes) == where
    assert ("1 attach limit of disk.example.invalid" in refusals(outcomes).get("db-0", "")) is (not where)


def _full_by_requests() -> Case:
    demands = {f"w{at}-0": 0.6 for at in range(4)}
    pods: dict[str, dict[str, Any]] = {name: {"cpu": 500} for name in demands}
    pods |= {"full-0": {"cpu": 3900}, "half-0": {"cpu": 3000}}
    return Case({"n1": demands | {"ds": 2.6}, "n2": {"full-0": 0.5}, "n3": {"half-0": 0.5}}, pods=pods)


def test_fc_018_room_by_requests_is_taken_by_every_move_of_the_cycle() -> None:
    outcomes = run(_full_by_requests(), policy=FREE, times=4)

    assert chosen(outcomes) == [("w0-0", "n3"), ("w1-0", "n3")]
    assert "1 capacity used by planned moves, 1 not enough cpu" in refusals(outcomes)["w2-0"]


@pytest.mark.parametrize("in_flight", [0, 1, 2])
def test_fc_018_room_by_requests_is_taken_by_moves_of_earlier_cycles(in_flight: int) -> None:
    moving = [f"w{at}" for at in range(in_flight)]
    records = [make_record(f"{name}-7", workload=name, ago=20, node="n8", destination="n3") for name in moving]

    outcomes = run(_full_by_requests(), policy=FREE, times=4, records=tuple(records))

    assert len(chosen(outcomes)) == 2 - in_flight
    assert "1 capacity used by planned moves, 1 not enough cpu" in refusals(outcomes)["w3-0"]


def test_fc_019_only_zones_that_the_pod_may_use_are_destinations() -> None:
    even = SpreadConstraint(ZONE, 1, labelled(app="app"))
    rules = {"constraints": Constraints(spread=(even,), node_terms=(in_zone("a", "b"),))}
    nodes = (make_node("b1", labels={ZONE: "b"}), make_node("c1", labels={ZONE: "c"}))
    demand = {"a1": {"app-0": 1.0, "app-1": 1.0, "app-2": 1.0, "ds": 1.5}, "b1": {"app-3": 0.5, "app-4": 0.5}, "c1": {}}
    case = Case(demand, nodes=nodes, pods={f"app-{at}": rules for at in range(5)}, replicas=0)

    outcomes = run(case)

    assert chosen(outcomes) == [("app-0", "b1")]


def test_fc_021_nobody_leaves_where_nothing_fits() -> None:
    full = {"requests": make_resources(memory=7 * GIB)}
    case = Case(
        {"n1": {"p-0": 1.0, "ds": 3.6}, "n2": {"x-0": 0.5}, "n3": {"y-0": 0.5}},
        pods={"p-0": {"requests": make_resources(memory=2 * GIB)}, "x-0": full, "y-0": full},
    )

    outcomes = run(case)

    assert chosen(outcomes) == []
    assert "2 not enough memory" in refusals(outcomes)["p-0"]


@pytest.mark.parametrize("observing", [True, False])
def test_fc_022_observing_and_enforcing_decide_on_exactly_one_move(*, observing: bool) -> None:
    big = {"requests": make_resources(cpu=8000, memory=16 * GIB)}
    hot = {f"n{at}": {f"a{at}-0": 8.5, f"b{at}-0": 8.5} for at in range(1, 6)}
    nodes = tuple(make_node(f"n{at}", cpu=16000, memory=32 * GIB) for at in range(1, 7))
    pods: dict[str, Any] = {name: big for demands in hot.values() for name in demands} | {"base-0": big}
    case = Case(hot | {"n6": {"base-0": 2.0}}, nodes=nodes, pods=pods)

    outcomes = run(case, policy=FREE, observing=observing)

    assert chosen(outcomes) == [("a1-0", "n6")]
    assert "1 capacity used by planned moves" in refusals(outcomes)["a2-0"]


def test_fc_023_require_means_no_eviction_without_a_node() -> None:
    case = Case({"n1": {"p-0": 1.0, "ds": 3.6}, "n2": {}}, pods={"p-0": {"cpu": 5000}})

    required, off = run(case), run(case, policy=make_policy(destination="off"))

    assert chosen(required) == []
    assert refusals(required)["p-0"].startswith("no-destination")
    assert chosen(off) == [("p-0", None)]
