"""Measured load: rows on nodes whose signals are fresh, nodes that accept nobody, expectations for pods that wait."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from descheduler.planning.problems.building import Built, build
from descheduler.planning.problems.measured import Measured
from policies.model.policy import Policy
from policies.values.pods import Pod
from policies.values.resources import CPU
from policies.values.standings import NodeStanding
from tests.builders import make_cluster, make_node, make_pod
from tests.descheduler.planning.problems.loaded import loaded_policy, standing
from tests.descheduler.planning.problems.paper import make_situation


def built(*pods: Pod, standings: tuple[NodeStanding, ...] = (), signals: Policy | None = None, **known: Any) -> Built:
    cluster = make_cluster([make_node("n1", cpu=1000), make_node("n2", cpu=1000)], pods)
    measured = Measured(standings={each.node: each for each in standings}, **known)
    return build(make_situation(cluster, signals or loaded_policy()), measured=measured)


def column(found: Built, name: str = "cpu in use") -> int:
    return found.problem.resources.index(name)


def rooms(found: Built) -> list[int]:
    return [site.room[column(found)] for site in found.problem.sites]


def uses(found: Built) -> dict[str, int]:
    pairs = zip(found.pods, found.problem.items, strict=True)
    return {pod.name: item.requests[column(found)] for pod, item in pairs}


def test_without_signals_there_is_no_such_row() -> None:
    assert "cpu in use" not in built(make_pod()).problem.resources


def test_a_fresh_node_keeps_what_the_filter_asks_for() -> None:
    found = built(make_pod("web-0", cpu=200), standings=(standing("n1", 0.5),))

    assert rooms(found)[0] == 900 - 300
    assert found.problem.sites[0].allocatable[column(found)] == 1000
    assert "llc in use" not in found.problem.resources


def test_a_node_that_is_not_measured_is_as_wide_as_everybody() -> None:
    waiting = make_pod("api-0", node=None, workload="api", cpu=500)

    found = built(make_pod("web-0", cpu=200), waiting, standings=(standing("n1", 0.5),))

    assert rooms(found)[1] == 700


def test_an_unverified_value_binds_nobody() -> None:
    found = built(make_pod("web-0", cpu=200), standings=(standing("n1", 0.95, refusable=False),))

    assert "cpu in use" not in found.problem.resources
    assert found.problem.sites[0].accepts


def test_a_node_that_carries_more_already_keeps_what_it_has() -> None:
    found = built(make_pod("web-0", cpu=200), standings=(standing("n1", 0.95),))

    assert rooms(found)[0] == 200


def test_use_is_measured_or_expected_by_the_workload_or_by_request() -> None:
    pods = [
        make_pod("web-0", cpu=200),
        make_pod("web-1", node=None, cpu=200),
        make_pod("api-0", node=None, workload="api", cpu=200),
    ]
    ratios = {("default/web-rs", CPU): 0.5}

    found = built(*pods, standings=(standing("n1", 0.5),), use={CPU: {"uid-web-0": 0.0501}}, ratios=ratios)

    assert uses(found) == {"web-0": 51, "web-1": 100, "api-0": 200}


def test_a_full_mark_above_one_widens_the_row() -> None:
    found = built(make_pod("web-0", cpu=200), standings=(standing("n1", 0.5),), signals=loaded_policy(full=2.0))

    assert rooms(found)[0] == 1800 - 800


def test_nodes_below_the_filters_threshold_accept_nobody() -> None:
    found = built(make_pod(), standings=(standing("n1", 0.95), standing("n2", 0.9)))

    assert [site.accepts for site in found.problem.sites] == [False, True]


@given(score=st.floats(0, 3), cpu=st.integers(0, 2000), ratio=st.floats(0, 5))
def test_doing_nothing_keeps_every_row_of_load(score: float, cpu: int, ratio: float) -> None:
    pods = [make_pod("web-0", cpu=cpu), make_pod("api-0", node="n2", workload="api", cpu=100)]

    found = built(*pods, standings=(standing("n1", score),), ratios={("default/web-rs", CPU): ratio})

    assert all(
        sum(item.requests[column(found)] for item in found.problem.items if item.node == at) <= room
        for at, room in enumerate(rooms(found))
    )
