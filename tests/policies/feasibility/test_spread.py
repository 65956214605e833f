"""Hard topology spread over the domains that a pod may use."""

from typing import Any

from policies.values.nodes import Node, Taint
from policies.values.pods import Pod, SpreadConstraint
from tests.builders import make_node, make_pod
from tests.policies.feasibility.places import HOST, ZONE, closed, in_zone, labelled, limited, occupied

SHUT = "topology-spread: topology spread"


def _nodes(**zones: str) -> list[Node]:
    return [make_node(name, labels={ZONE: zone}) for name, zone in zones.items()]


def _apps(*nodes: str, **changes: Any) -> list[Pod]:
    return [make_pod(f"app-{at}", node=node, workload="app", **changes) for at, node in enumerate(nodes)]


def _even(key: str = ZONE, skew: int = 1, **changes: Any) -> SpreadConstraint:
    return SpreadConstraint(key, skew, labelled(app="app"), **changes)


def test_fc_019_only_the_domains_that_the_pod_may_use_count() -> None:
    rules = limited(spread=(_even(),), node_terms=(in_zone("a", "b"),))
    apps = _apps("a1", "a1", "a2", "b1", "b1", constraints=rules)
    occupancy = occupied(_nodes(a1="a", a2="a", b1="b", c1="c"), apps)

    shut = closed(apps[0], occupancy)

    assert shut == {"c1": "node-affinity: node selector or affinity"}


def test_domain_that_would_hold_too_many_is_closed() -> None:
    apps = _apps("a1", "b1", "b1", constraints=limited(spread=(_even(),)))

    assert closed(apps[0], occupied(_nodes(a1="a", b1="b", c1="c"), apps)) == {"b1": SHUT}


def test_every_constraint_must_hold() -> None:
    rules = limited(spread=(_even(skew=9), _even(HOST)))
    apps = _apps("a1", "a2", constraints=rules)

    assert closed(apps[0], occupied(_nodes(a1="a", a2="a", b1="b"), apps)) == {"a2": SHUT}


def test_node_without_the_topology_is_closed_and_does_not_count() -> None:
    apps = _apps("a1", constraints=limited(spread=(_even("rack"),)))
    nodes = [make_node("a1", labels={"rack": "r1"}), make_node("a2")]

    assert closed(apps[0], occupied(nodes, apps)) == {"a2": "topology-spread: no label rack for topology spread"}


def test_where_no_node_has_all_topologies_nothing_is_counted() -> None:
    apps = _apps("a1", "a1", "a1", constraints=limited(spread=(_even(), _even("rack"))))

    shut = closed(apps[0], occupied(_nodes(a1="a", b1="b"), apps))

    assert set(shut.values()) == {"topology-spread: no label rack for topology spread"}


def test_too_few_domains_count_the_emptiest_as_zero() -> None:
    apps = _apps("a1", "b1", constraints=limited(spread=(_even(min_domains=3),)))

    shut = closed(
        make_pod("app-9", workload="app", constraints=apps[0].constraints), occupied(_nodes(a1="a", b1="b"), apps)
    )

    assert shut == {"a1": SHUT, "b1": SHUT}


def test_affinity_and_taints_count_as_the_constraint_says() -> None:
    closed_zone = make_node("c1", labels={ZONE: "c"}, taints=(Taint("x", "", "NoSchedule"),))
    nodes = [*_nodes(a1="a", b1="b"), closed_zone]
    for honoured, shut in ((True, set()), (False, {"a1", "b1"})):
        rules = limited(spread=(_even(honour_taints=honoured),))
        apps = _apps("a1", "b1", constraints=rules)
        newcomer = make_pod("app-9", workload="app", constraints=rules)

        found = closed(newcomer, occupied(nodes, apps))

        assert {name for name, why in found.items() if why == SHUT} == shut


def test_affinity_that_is_not_honoured_lets_empty_domains_count() -> None:
    rules = limited(spread=(_even(honour_affinity=False),), node_terms=(in_zone("a"),))
    apps = _apps("a1", constraints=rules)
    newcomer = make_pod("app-9", workload="app", constraints=rules)

    assert closed(newcomer, occupied(_nodes(a1="a", b1="b"), apps))["a1"] == SHUT


def test_pods_that_are_going_do_not_count() -> None:
    rules = limited(spread=(_even(),))
    stays, goes, chosen = _apps("a1", "b1", "b1", constraints=rules)
    going = make_pod("app-7", node="b1", workload="app", terminating=True)
    occupancy = occupied(_nodes(a1="a", b1="b"), [stays, goes, chosen, going])
    newcomer = make_pod("app-9", workload="app", constraints=rules)
    assert closed(newcomer, occupancy) == {"b1": SHUT}

    occupancy.leave(chosen)

    assert closed(newcomer, occupancy) == {}


def test_pods_that_are_not_selected_do_not_count_the_newcomer_included() -> None:
    rules = limited(spread=(SpreadConstraint(ZONE, 1, labelled(app="other")), SpreadConstraint(ZONE, 1, None)))
    apps = _apps("a1", "a1", "a1", constraints=rules)

    assert closed(apps[0], occupied(_nodes(a1="a", b1="b"), apps)) == {}
