"""Relief: victims of a congested node that fit nowhere singly get a place by a plan, and never on a hot node."""

import threading

from descheduler.optimiser.checking import check
from descheduler.optimiser.opening import in_process
from descheduler.optimiser.solution import Options
from descheduler.planning.problems.building import Built, build
from descheduler.planning.problems.measured import Measured
from descheduler.planning.problems.plans import to_plan
from policies.values.plans import Plan, PlanAction
from policies.values.pods import Pod
from tests.builders import make_cluster, make_node, make_pod
from tests.descheduler.planning.problems.loaded import loaded_policy, standing
from tests.descheduler.planning.problems.paper import TEMPLATE, make_situation

OPTIONS = Options(deterministic=0.2, workers=1)


def hot_cluster(*pods: Pod, scores: tuple[float, float, float]) -> Built:
    """Return three nodes of 1000m; `hot` must leave n1."""
    cluster = make_cluster([make_node(f"n{at}", cpu=1000) for at in (1, 2, 3)], pods)
    standings = {f"n{at}": standing(f"n{at}", score) for at, score in enumerate(scores, start=1)}
    return build(make_situation(cluster, loaded_policy()), measured=Measured(standings=standings), relief={"uid-hot"})


def solved(built: Built) -> Plan:
    found = in_process("bayplan").solve(built.problem, OPTIONS, threading.Event())
    plan = to_plan(built, found, TEMPLATE)
    assert check(built.problem, found.assignment, OPTIONS) == ()
    assert isinstance(plan, Plan)
    return plan


def test_a_pod_makes_way_for_a_victim_that_fits_nowhere() -> None:
    pods = [
        make_pod("hot", node="n1", workload="hot", cpu=600),
        make_pod("small", node="n2", workload="small", cpu=300),
        make_pod("rest", node="n2", workload="rest", cpu=200, owner=None),
        make_pod("other", node="n3", workload="other", cpu=500, owner=None),
    ]

    plan = solved(hot_cluster(*pods, scores=(0.95, 0.3, 0.3)))

    assert {(entry.action, entry.pod, entry.source, entry.target) for entry in plan.entries} == {
        (PlanAction.MOVE, "hot", "n1", "n2"),
        (PlanAction.MOVE, "small", "n2", "n3"),
    }


def test_no_destination_is_filled_beyond_what_the_filter_asks_for() -> None:
    pods = [make_pod("hot", node="n1", workload="hot", cpu=600)]

    plan = solved(hot_cluster(*pods, scores=(0.95, 0.4, 0.2)))

    assert [(entry.pod, entry.target) for entry in plan.entries] == [("hot", "n3")]


def test_where_every_other_node_is_hot_the_victim_stays() -> None:
    pods = [make_pod("hot", node="n1", workload="hot", cpu=600)]

    assert solved(hot_cluster(*pods, scores=(0.95, 0.92, 0.91))).entries == ()
