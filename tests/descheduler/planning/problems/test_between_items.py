"""What items forbid each other: host ports, anti-affinity, affinity, spread; judged by the independent checker."""

from typing import Any

import pytest

from descheduler.optimiser.checking import Rule, check
from descheduler.optimiser.solution import Options
from descheduler.planning.problems.building import Built, build
from policies.values.pods import Constraints, HostPort, Pod, PodTerm, SpreadConstraint
from policies.values.selectors import LabelSelector, Operator, Requirement
from tests.builders import make_cluster, make_node, make_pod
from tests.descheduler.planning.problems.paper import make_situation, placing

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
HERE = frozenset({"default"})
NODES = [make_node("n1"), make_node("n2"), make_node("n3", labels={ZONE: "b"})]


def app(name: str) -> LabelSelector:
    return LabelSelector((Requirement("app", Operator.IN, (name,)),))


def waiting(name: str, workload: str = "web", **constraints: Any) -> Pod:
    return make_pod(name, node=None, workload=workload, constraints=Constraints(**constraints))


def running(name: str, node: str = "n1", workload: str = "web", **changes: Any) -> Pod:
    return make_pod(name, node=node, workload=workload, **changes)


def problem_of(*pods: Pod, **changes: Any) -> Built:
    return build(make_situation(make_cluster(changes.pop("nodes", NODES), pods, **changes)))


def broken(built: Built, **places: str | None) -> set[Rule]:
    """Return which rules a plan breaks, apart from whether it gains anything."""
    found = check(built.problem, placing(built, **places), Options(evict_for_count=True))
    return {violation.rule for violation in found} - {Rule.VECTOR, Rule.USAGE}


# ---------------------------------------------------------------------- host ports


def test_two_pods_with_one_host_port_need_two_nodes() -> None:
    port = (HostPort(8080),)
    built = problem_of(waiting("web-0", host_ports=port), waiting("web-1", host_ports=port))

    assert [row.name for row in built.problem.exclusives] == ["host port 8080/TCP"]
    assert broken(built, web_0="n1", web_1="n1") == {Rule.EXCLUSIVE}
    assert broken(built, web_0="n1", web_1="n2") == set()


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (HostPort(8080), HostPort(8081)),
        (HostPort(8080), HostPort(8080, "UDP")),
        (HostPort(8080, address="10.0.0.1"), HostPort(8080, address="10.0.0.2")),
    ],
)
def test_ports_that_do_not_clash_may_share_a_node(mine: HostPort, theirs: HostPort) -> None:
    built = problem_of(waiting("web-0", host_ports=(mine,)), waiting("web-1", host_ports=(theirs,)))

    assert built.problem.exclusives == ()


def test_a_port_on_all_addresses_clashes_with_that_port_on_any() -> None:
    ports = (HostPort(80, address=""), HostPort(80, address="10.0.0.1"), HostPort(80, address="10.0.0.2"))
    built = problem_of(*(waiting(f"web-{at}", host_ports=(port,)) for at, port in enumerate(ports)))

    assert broken(built, web_0="n1", web_1="n1") == {Rule.EXCLUSIVE}
    assert broken(built, web_0="n1", web_2="n1") == {Rule.EXCLUSIVE}
    assert broken(built, web_1="n1", web_2="n1") == set()


def test_a_port_is_free_once_its_pod_has_moved() -> None:
    port = Constraints(host_ports=(HostPort(8080),))
    built = problem_of(
        running("api-0", workload="api", constraints=port), waiting("web-0", host_ports=(HostPort(8080),))
    )

    assert broken(built, web_0="n1") == {Rule.EXCLUSIVE}
    assert broken(built, web_0="n1", api_0="n2") == set()


# ---------------------------------------------------------------------- anti-affinity


def test_replicas_that_avoid_each_other_need_nodes_of_their_own() -> None:
    alone = (PodTerm(HOST, app("web"), HERE),)
    built = problem_of(waiting("web-0", anti_affinity=alone), waiting("web-1", anti_affinity=alone))

    assert broken(built, web_0="n1", web_1="n1") == {Rule.SEPARATION}
    assert broken(built, web_0="n1", web_1="n2") == set()


def test_terms_over_a_zone_bind_all_its_nodes() -> None:
    alone = (PodTerm(ZONE, app("web"), HERE),)
    built = problem_of(waiting("web-0", anti_affinity=alone), waiting("web-1", anti_affinity=alone))

    assert broken(built, web_0="n1", web_1="n2") == {Rule.SEPARATION}
    assert broken(built, web_0="n1", web_1="n3") == set()


def test_the_term_of_a_running_pod_binds_who_comes_until_it_has_moved() -> None:
    shy = Constraints(anti_affinity=(PodTerm(HOST, app("web"), HERE),))
    built = problem_of(running("api-0", workload="api", constraints=shy), waiting("web-0"))

    assert broken(built, web_0="n1") == {Rule.SEPARATION}
    assert broken(built, web_0="n1", api_0="n2") == set()
    assert broken(built, web_0="n2", api_0="n2") == {Rule.SEPARATION}


def test_a_term_that_speaks_of_no_item_is_no_row() -> None:
    assert problem_of(waiting("web-0", anti_affinity=(PodTerm(HOST, app("db"), HERE),))).problem.separations == ()
    assert problem_of(waiting("web-0", anti_affinity=(PodTerm(HOST, app("web"), HERE),))).problem.separations == ()


def test_a_namespace_of_unknown_labels_counts_as_meant() -> None:
    term = PodTerm(HOST, app("web"), namespace_selector=app("x"))
    built = problem_of(waiting("api-0", "api", anti_affinity=(term,)), waiting("web-0"))

    assert broken(built, api_0="n1", web_0="n1") == {Rule.SEPARATION}


# ---------------------------------------------------------------------- affinity


def test_a_follower_needs_its_company_in_its_domain() -> None:
    near = (PodTerm(HOST, app("db"), HERE),)
    built = problem_of(waiting("web-0", affinity=near), waiting("db-0", "db"))

    assert broken(built, web_0="n1") == {Rule.ATTRACTION}
    assert broken(built, web_0="n1", db_0="n2") == {Rule.ATTRACTION}
    assert broken(built, web_0="n1", db_0="n1") == set()


def test_company_that_stays_is_company_and_one_that_goes_is_none() -> None:
    near = (PodTerm(HOST, app("db"), HERE),)
    bare = running("db-0", workload="db", owner=None)
    going = running("db-0", workload="db", owner=None, terminating=True)

    assert broken(problem_of(waiting("web-0", affinity=near), bare), web_0="n1") == set()
    assert broken(problem_of(waiting("web-0", affinity=near), bare), web_0="n2") == {Rule.ATTRACTION}
    assert broken(problem_of(waiting("web-0", affinity=near), going), web_0="n1") == {Rule.ATTRACTION}


def test_all_terms_must_speak_of_the_same_pod() -> None:
    terms = (PodTerm(HOST, app("db"), HERE), PodTerm(ZONE, LabelSelector(), frozenset({"shop"})))
    built = problem_of(waiting("web-0", affinity=terms), running("db-0", workload="db"))

    assert [row.matching for row in built.problem.attractions] == [(), ()]
    assert broken(built, web_0="n1") == {Rule.ATTRACTION}


def test_the_first_of_a_group_that_wants_its_own_company_is_exempt() -> None:
    together = (PodTerm(HOST, app("web"), HERE),)
    pods = [waiting("web-0", affinity=together), waiting("web-1", affinity=together)]

    assert broken(problem_of(*pods), web_0="n1", web_1="n1") == set()
    assert broken(problem_of(*pods), web_0="n1", web_1="n2") == {Rule.ATTRACTION}
    assert broken(problem_of(*pods, running("web-2", owner=None)), web_0="n2") == {Rule.ATTRACTION}


# ---------------------------------------------------------------------- topology spread


def spreading(name: str, **changes: Any) -> Pod:
    constraint = SpreadConstraint(ZONE, changes.pop("skew", 1), app("web"), **changes)
    return waiting(name, spread=(constraint,))


def test_no_zone_takes_more_than_the_emptiest_and_the_skew() -> None:
    built = problem_of(spreading("web-0"), spreading("web-1"))

    assert broken(built, web_0="n1", web_1="n2") == {Rule.SPREAD}
    assert broken(built, web_0="n1", web_1="n3") == set()
    assert broken(problem_of(spreading("web-0", skew=2), spreading("web-1", skew=2)), web_0="n1", web_1="n2") == set()


def test_fixed_pods_count_and_those_that_go_do_not() -> None:
    here = running("old-0", owner=None)
    going = running("old-0", owner=None, terminating=True)

    assert broken(problem_of(spreading("web-0"), here), web_0="n1") == {Rule.SPREAD}
    assert broken(problem_of(spreading("web-0"), here), web_0="n3") == set()
    assert broken(problem_of(spreading("web-0"), going), web_0="n1") == set()


def test_too_few_domains_count_as_an_empty_one() -> None:
    there = running("web-3", "n3")
    built = problem_of(spreading("web-0", min_domains=3), running("web-2"), there)

    assert broken(built, web_0="n1") == {Rule.SPREAD}
    assert broken(problem_of(spreading("web-0"), running("web-2"), there), web_0="n1") == set()


def test_nodes_that_the_pod_does_not_want_do_not_count() -> None:
    constraint = SpreadConstraint(ZONE, 1, app("web"))
    picky = waiting("web-0", spread=(constraint,), node_selector=((ZONE, "a"),))
    careless = waiting(
        "web-0", spread=(SpreadConstraint(ZONE, 1, app("web"), honour_affinity=False),), node_selector=((ZONE, "a"),)
    )

    assert broken(problem_of(picky, running("web-1")), web_0="n1") == set()
    assert broken(problem_of(careless, running("web-1")), web_0="n1") == {Rule.SPREAD}


def test_the_same_constraint_of_other_pods_is_one_row() -> None:
    built = problem_of(spreading("web-0"), spreading("web-1"), spreading("web-2", skew=2))

    assert [(row.carriers, row.max_skew) for row in built.problem.spreads] == [((0, 1), 1), ((2,), 2)]
