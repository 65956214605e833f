"""Constraints of many workloads over one topology share what they say of the nodes."""

from descheduler.planning.problems.building import Built, build
from policies.values.pods import Constraints, PodTerm, SpreadConstraint
from policies.values.selectors import LabelSelector, Operator, Requirement
from tests.builders import make_cluster, make_node, make_pod
from tests.descheduler.planning.problems.paper import make_situation

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
ZONES = {"n1": "a", "n2": "a", "n3": "b"}
WORKLOADS = [f"w{number}" for number in range(20)]


def constraints(workload: str, **selector: str) -> Constraints:
    app = LabelSelector((Requirement("app", Operator.IN, (workload,)),))
    return Constraints(
        anti_affinity=(PodTerm(HOST, app, frozenset({"default"})),),
        spread=(SpreadConstraint(ZONE, 1, app),),
        node_selector=tuple(selector.items()),
    )


def built() -> Built:
    nodes = [
        make_node(name, labels={ZONE: zone, "disk": "ssd" if zone == "a" else "hdd"}) for name, zone in ZONES.items()
    ]
    pods = [
        make_pod(f"{workload}-{at}", node=None, workload=workload, constraints=shared)
        for number, workload in enumerate(WORKLOADS)
        for shared in [constraints(workload, **({"disk": "ssd"} if number % 2 else {}))]
        for at in range(2)
    ]
    return build(make_situation(make_cluster(nodes, pods)))


def test_every_anti_affinity_has_the_same_domains() -> None:
    separations = built().problem.separations

    assert len(separations) == len(WORKLOADS)
    assert len({id(apart.domains) for apart in separations}) == 1
    assert separations[0].domains == (0, 1, 2)


def test_spreads_share_the_nodes_that_count_and_differ_where_these_do() -> None:
    spreads = built().problem.spreads

    assert len(spreads) == len(WORKLOADS)
    assert {(even.domains, even.least_over) for even in spreads} == {((0, 0, 1), (0, 1)), ((0, 0, -1), (0,))}
    assert len({id(even.domains) for even in spreads}) == 2
    assert len({id(even.least_over) for even in spreads}) == 2
