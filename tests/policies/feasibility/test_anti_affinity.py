"""Required anti-affinity in both directions and at every topology."""

from policies.values import kinds
from policies.values.pods import PodTerm
from policies.values.selectors import LabelSelector, Operator, Requirement
from tests.builders import make_node, make_pod
from tests.policies.feasibility.places import HOST, ZONE, apart, closed, labelled, limited, occupied

NODES = [make_node("n1"), make_node("n2"), make_node("n3", labels={ZONE: "b"}), make_node("n4", labels={ZONE: "b"})]


def test_fc_007_own_term_against_a_sibling() -> None:
    alone = limited(anti_affinity=(apart(app="a"),))
    sibling = make_pod("a-1", node="n2", workload="a", constraints=alone)
    pod = make_pod("a-0", workload="a", constraints=alone)

    assert closed(pod, occupied(NODES, [pod, sibling])) == {"n2": "anti-affinity: anti-affinity"}


def test_own_term_at_the_level_of_zones() -> None:
    pod = make_pod("a-0", workload="a", constraints=limited(anti_affinity=(apart(ZONE, app="b"),)))

    shut = closed(pod, occupied(NODES, [make_pod("b-0", node="n3", workload="b")]))

    assert shut.keys() == {"n3", "n4"}


def test_term_of_a_pod_that_stands_there() -> None:
    loner = make_pod("b-0", node="n3", workload="b", constraints=limited(anti_affinity=(apart(ZONE, app="web"),)))

    shut = closed(make_pod(), occupied(NODES, [loner]))

    assert shut == dict.fromkeys(("n3", "n4"), "anti-affinity: anti-affinity of a pod there")


def test_pod_does_not_keep_itself_out_of_its_own_zone() -> None:
    pod = make_pod("a-0", workload="a", constraints=limited(anti_affinity=(apart(ZONE, app="a"),)))

    assert closed(pod, occupied(NODES, [pod])) == {}


def test_pod_that_is_going_still_keeps_others_out() -> None:
    alone = limited(anti_affinity=(apart(app="a"),))
    going = make_pod("a-1", node="n2", workload="a", terminating=True)

    assert closed(make_pod("a-0", constraints=alone), occupied(NODES, [going])).keys() == {"n2"}


def test_pods_of_other_namespaces_are_not_meant() -> None:
    alone = limited(anti_affinity=(apart(app="a"),))
    foreign = make_pod("a-1", node="n2", workload="a", namespace="other")

    assert closed(make_pod("a-0", constraints=alone), occupied(NODES, [foreign])) == {}


def test_namespaces_selected_by_label() -> None:
    everywhere = PodTerm(HOST, labelled(app="a"), namespace_selector=LabelSelector())
    team = PodTerm(HOST, labelled(app="a"), namespace_selector=labelled(team="x"))
    foreign = make_pod("a-1", node="n2", workload="a", namespace="other")
    labels = {"other": {"team": "x"}}

    for term, known, shut in ((everywhere, {}, {"n2"}), (team, labels, {"n2"}), (team, {"other": {}}, set())):
        pod = make_pod("b-0", constraints=limited(anti_affinity=(term,)))
        assert closed(pod, occupied(NODES, [foreign], namespace_labels=known)).keys() == shut


def test_namespace_whose_labels_are_unknown_may_be_meant() -> None:
    team = PodTerm(HOST, labelled(app="a"), namespace_selector=labelled(team="x"))
    pod = make_pod("b-0", constraints=limited(anti_affinity=(team,)))
    foreign = make_pod("a-1", node="n2", workload="a", namespace="other")
    unreadable = {kinds.NAMESPACES: "403 Forbidden"}

    assert closed(pod, occupied(NODES, [foreign])).keys() == {"n2"}
    stale = occupied(NODES, [foreign], namespace_labels={"other": {}}, unreadable=unreadable)
    assert closed(pod, stale).keys() == {"n2"}


def test_selector_without_a_value_to_look_up_is_asked_of_every_pod() -> None:
    others = LabelSelector((Requirement("app", Operator.NOT_IN, ("web",)),))
    term = PodTerm(HOST, others, frozenset({"default"}))
    away = make_pod("a-0", workload="a", node="n2", constraints=limited(anti_affinity=(term,)))
    pod = make_pod(constraints=limited(anti_affinity=(term,)))

    assert closed(pod, occupied(NODES, [pod, away])).keys() == {"n2"}


def test_term_without_selector_means_nobody() -> None:
    term = PodTerm(HOST, None, frozenset({"default"}))
    pod = make_pod(constraints=limited(anti_affinity=(term,)))

    assert closed(pod, occupied(NODES, [make_pod("web-1", node="n2")])) == {}


def test_node_without_the_topology_shuts_nobody_out() -> None:
    pod = make_pod("a-0", constraints=limited(anti_affinity=(apart("rack", app="b"),)))

    assert closed(pod, occupied(NODES, [make_pod("b-0", node="n3", workload="b")])) == {}


def test_planned_pods_are_there_for_both_directions() -> None:
    alone = limited(anti_affinity=(apart(app="a"),))
    occupancy = occupied(NODES, [make_pod("a-1", node="n1", workload="a", constraints=alone)])
    assert closed(make_pod("a-0", workload="a"), occupancy).keys() == {"n1"}

    occupancy.place(make_pod("a-2", workload="a", constraints=alone), "n3")

    assert closed(make_pod("a-0", workload="a"), occupancy).keys() == {"n1", "n3"}
    assert closed(make_pod("b-0", workload="b", constraints=alone), occupancy).keys() == {"n1", "n3"}
