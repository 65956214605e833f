"""Where items may be placed: accepted and refused examples of each constraint that no move can change."""

from typing import Any

import pytest

from descheduler.planning.problems.building import build
from policies.values.nodes import Taint
from policies.values.pods import Constraints, HostPort, Pod, PodTerm, SpreadConstraint, Toleration
from policies.values.selectors import LabelSelector, NodeSelectorTerm, Operator, Requirement
from policies.values.volumes import Claim, CsiDriver, CsiNode, StorageClass, Volume
from tests.builders import make_cluster, make_node, make_pod
from tests.descheduler.planning.problems.paper import eligible, make_situation

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
NODES = [
    make_node("n1", labels={"disk": "ssd"}),
    make_node("n2", taints=(Taint("own", "", "NoSchedule"),)),
    make_node("n3", labels={ZONE: "b", "disk": "hdd"}),
]
IN_ZONE_B = NodeSelectorTerm((Requirement(ZONE, Operator.IN, ("b",)),))
TOLERANT = Toleration(operator="Exists")
WEB = LabelSelector((Requirement("app", Operator.IN, ("web",)),))


def places(pod: Pod, *others: Pod, nodes: Any = NODES, **changes: Any) -> list[str]:
    return eligible(build(make_situation(make_cluster(nodes, [pod, *others], **changes))), pod.name)


def wanting(**constraints: Any) -> Pod:
    return make_pod("api-0", node=None, workload="api", constraints=Constraints(**constraints))


def test_taints_close_nodes_and_tolerations_open_them() -> None:
    assert places(wanting()) == ["n1", "n3"]
    assert places(wanting(tolerations=(TOLERANT,))) == ["n1", "n2", "n3"]


@pytest.mark.parametrize("state", [{"cordoned": True}, {"ready": False}, {"terminating": True}])
def test_a_node_that_is_not_usable_takes_nobody_tolerated_or_not(state: dict[str, Any]) -> None:
    nodes = [make_node("n1", **state), make_node("n2")]

    assert places(wanting(tolerations=(TOLERANT,)), nodes=nodes) == ["n2"]


def test_node_selectors_and_affinity_choose_nodes() -> None:
    assert places(wanting(node_selector=(("disk", "ssd"),))) == ["n1"]
    assert places(wanting(node_terms=(IN_ZONE_B,))) == ["n3"]


def test_volumes_choose_their_zone() -> None:
    pod = make_pod("api-0", node=None, workload="api", claims=("data",))
    claims = {"default/data": Claim(namespace="default", name="data", volume="v1")}
    unbound = {"default/data": Claim(namespace="default", name="data", storage_class="late")}
    late = StorageClass(name="late", waits_for_first_consumer=True, allowed_topologies=(IN_ZONE_B,))

    assert places(pod, claims=claims, volumes={"v1": Volume(name="v1", node_terms=(IN_ZONE_B,))}) == ["n3"]
    assert places(pod, claims=claims, volumes={"v1": Volume(name="v1")}) == ["n1", "n3"]
    assert places(pod, claims=unbound, storage_classes={"late": late}) == ["n3"]


def test_a_driver_that_must_be_there_chooses_its_nodes() -> None:
    pod = make_pod("api-0", node=None, workload="api", claims=("data",))
    world: dict[str, Any] = {
        "claims": {"default/data": Claim(namespace="default", name="data", volume="v1")},
        "volumes": {"v1": Volume(name="v1", driver="disk")},
        "csi_nodes": {"n1": CsiNode(name="n1", drivers=frozenset({"disk"}))},
    }

    assert places(pod, csi_drivers={"disk": CsiDriver(name="disk", needed=True)}, **world) == ["n1"]
    assert places(pod, csi_drivers={"disk": CsiDriver(name="disk")}, **world) == ["n1", "n3"]


def test_a_pod_without_a_known_claim_is_placed_nowhere() -> None:
    pod = make_pod("api-0", node=None, workload="api", claims=("data",))

    built = build(make_situation(make_cluster(NODES, [pod])))

    assert built.left_out["uid-api-0"].message.endswith("no node is eligible, whoever moves")


@pytest.mark.parametrize(("owner", "expected"), [(None, ["n3"]), ("web", ["n1", "n3"])])
def test_a_host_port_of_a_pod_that_stays_closes_its_node(owner: str | None, expected: list[str]) -> None:
    port = (HostPort(8080),)
    bare: dict[str, Any] = {"owner": None} if owner is None else {}
    other = make_pod("web-0", constraints=Constraints(host_ports=port), **bare)

    assert places(wanting(host_ports=port), other) == expected


@pytest.mark.parametrize(("fixed", "expected"), [(True, ["n3"]), (False, ["n1", "n3"])])
def test_anti_affinity_closes_the_domains_of_those_who_stay(fixed: bool, expected: list[str]) -> None:  # noqa: FBT001
    term = PodTerm(ZONE, WEB, frozenset({"default"}))
    bare: dict[str, Any] = {"owner": None} if fixed else {}

    assert places(wanting(anti_affinity=(term,)), make_pod("web-0", **bare)) == expected


def test_the_anti_affinity_of_a_pod_that_stays_closes_its_domain_for_those_it_speaks_of() -> None:
    api = LabelSelector((Requirement("app", Operator.IN, ("api",)),))
    shy = Constraints(anti_affinity=(PodTerm(ZONE, api, frozenset({"default"})),))

    assert places(wanting(), make_pod("web-0", owner=None, constraints=shy)) == ["n3"]
    assert places(make_pod("db-0", node=None, workload="db"), make_pod("web-0", owner=None, constraints=shy)) == [
        "n1",
        "n3",
    ]


def test_affinity_and_spread_need_nodes_with_their_topology() -> None:
    nodes = [make_node("n1", labels={"rack": "1"}), make_node("n2")]
    term = PodTerm("rack", LabelSelector(), frozenset({"default"}))

    assert places(wanting(affinity=(term,)), nodes=nodes) == ["n1"]
    assert places(wanting(spread=(SpreadConstraint("rack", 1, WEB),)), nodes=nodes) == ["n1"]
    assert places(wanting(anti_affinity=(term,)), nodes=nodes) == ["n1", "n2"]


def test_the_own_node_of_a_running_pod_counts_like_any_other() -> None:
    running = make_pod("web-0", node="n2")

    assert places(running) == ["n1", "n3"]


def test_equal_sets_are_kept_once() -> None:
    pods = [make_pod(f"web-{at}", node=None) for at in range(3)]

    problem = build(make_situation(make_cluster(NODES, pods))).problem

    assert (problem.eligibility, [item.eligible for item in problem.items]) == (((0, 2),), [0, 0, 0])
    assert HOST in NODES[0].labels
