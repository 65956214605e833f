"""Required affinity: company that stays, or the right to found the group."""

from policies.values import kinds
from policies.values.pods import PodTerm
from tests.builders import make_node, make_pod
from tests.policies.feasibility.places import HOST, ZONE, apart, closed, labelled, limited, occupied

NODES = [make_node("n1"), make_node("n2"), make_node("n3", labels={ZONE: "b"})]
SHUT = "affinity: affinity"


def test_pod_goes_where_its_company_is() -> None:
    pod = make_pod(constraints=limited(affinity=(apart(ZONE, app="db"),)))

    shut = closed(pod, occupied(NODES, [make_pod("db-0", node="n3", workload="db")]))

    assert shut == {"n1": SHUT, "n2": SHUT}


def test_every_term_must_speak_of_the_same_pod() -> None:
    both = (apart(HOST, app="db"), apart(HOST, tier="gold"))
    pod = make_pod(constraints=limited(affinity=both))
    gold = make_pod("db-0", node="n2", labels={"app": "db", "tier": "gold"})
    plain = make_pod("db-1", node="n1", labels={"app": "db"})

    assert closed(pod, occupied(NODES, [gold, plain])) == {"n1": SHUT, "n3": SHUT}


def test_first_of_a_group_may_go_anywhere_with_the_topology() -> None:
    pod = make_pod(constraints=limited(affinity=(apart("rack", app="web"),)))
    nodes = [make_node("n1"), make_node("n2", labels={"rack": "r1"})]

    assert closed(pod, occupied(nodes, [pod])) == {"n1": SHUT}


def test_pod_that_wants_others_cannot_found_their_group() -> None:
    pod = make_pod(constraints=limited(affinity=(apart(HOST, app="db"),)))

    assert closed(pod, occupied(NODES, [pod])).keys() == {"n1", "n2", "n3"}


def test_pods_that_are_going_are_no_company() -> None:
    pod = make_pod(constraints=limited(affinity=(apart(HOST, app="db"),)))
    going = make_pod("db-0", node="n2", workload="db", terminating=True)
    chosen = make_pod("db-1", node="n3", workload="db")
    occupancy = occupied(NODES, [going, chosen])

    occupancy.leave(chosen)

    assert closed(pod, occupancy).keys() == {"n1", "n2", "n3"}


def test_planned_pod_is_company() -> None:
    pod = make_pod(constraints=limited(affinity=(apart(HOST, app="db"),)))
    occupancy = occupied(NODES, [make_pod("db-0", node="n2", workload="db")])
    assert closed(pod, occupancy).keys() == {"n1", "n3"}

    occupancy.place(make_pod("db-1", node="n1", workload="db"), "n3")

    assert closed(pod, occupancy).keys() == {"n1"}


def test_namespace_whose_labels_are_unknown_is_no_company() -> None:
    term = PodTerm(HOST, labelled(app="db"), namespace_selector=labelled(team="x"))
    pod = make_pod(constraints=limited(affinity=(term,)))
    foreign = make_pod("db-0", node="n2", workload="db", namespace="other")

    unknown = occupied(NODES, [foreign], unreadable={kinds.NAMESPACES: "403 Forbidden"})
    known = occupied(NODES, [foreign], namespace_labels={"other": {"team": "x"}})

    assert closed(pod, unknown).keys() == {"n1", "n2", "n3"}
    assert closed(pod, known).keys() == {"n1", "n3"}
