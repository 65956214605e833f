"""Quotas: counted from live bound pods, so that no order of events can make them drift."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from policies.plans.quotas import (
    Kind,
    Place,
    bound,
    kind,
    kind_of,
    leaving,
    making_way,
    remaining,
    unbound_pins,
    wanted,
)
from policies.values.plans import Plan, PlanAction, PlanEntry, Quota
from policies.values.pods import Phase, Pod
from policies.values.resources import Resources
from policies.values.workloads import WorkloadRef
from tests.builders import make_pod, make_resources

WEB = WorkloadRef("ReplicaSet", "default", "web-rs")
SMALL = make_resources(cpu=100, memory=64 * 2**20, pods=1)
ON_N1 = Place(Kind(WEB, SMALL), "n1")


def _plan(*quotas: Quota, entries: tuple[PlanEntry, ...] = ()) -> Plan:
    return Plan(name="p", uid="u", quotas=quotas, entries=entries)


def _quota(node: str = "n1", wanted: int = 1) -> Quota:
    return Quota(controller=WEB, node=node, wanted=wanted, requests=SMALL)


def _move(uid: str, *, source: str = "n1", target: str | None = "n2") -> PlanEntry:
    action = PlanAction.EVICT if target is None else PlanAction.MOVE
    return PlanEntry(action=action, namespace="default", pod=uid, uid=uid, source=source, target=target, controller=WEB)


def test_a_kind_is_the_controller_and_the_requests_without_zeros() -> None:
    pod = make_pod(requests=Resources({"cpu": 100, "memory": 0}))

    assert kind_of(pod) == kind(WEB, Resources({"cpu": 100})) == Kind(WEB, Resources({"cpu": 100}))


def test_a_bare_pod_is_of_no_kind() -> None:
    assert kind_of(make_pod(owner=None)) is None


def test_live_bound_pods_are_counted_where_the_plan_wants_some() -> None:
    pods = [make_pod("a"), make_pod("b", node="n2"), make_pod("c", node=None), make_pod("d", workload="api")]

    assert bound(_plan(_quota(wanted=3)), pods) == {ON_N1: 1}
    assert remaining(_plan(_quota(wanted=3)), pods) == {ON_N1: 2}


def test_pods_of_another_size_are_another_kind() -> None:
    assert remaining(_plan(_quota()), [make_pod("a", cpu=200)]) == {ON_N1: 1}


def test_ended_and_terminating_pods_do_not_count() -> None:
    pods = [make_pod("a", phase=Phase.FAILED), make_pod("b", terminating=True), make_pod("c", owner=None)]

    assert remaining(_plan(_quota()), pods) == {ON_N1: 1}


def test_a_pod_that_the_plan_takes_away_does_not_count_while_it_still_runs() -> None:
    plan = _plan(_quota(), entries=(_move("uid-a"), _move("uid-z", target=None)))

    assert leaving(plan) == {"uid-a", "uid-z"}
    assert remaining(plan, [make_pod("a")]) == {ON_N1: 1}


def test_more_pods_than_wanted_leave_nothing_to_come() -> None:
    assert remaining(_plan(_quota()), [make_pod("a"), make_pod("b")]) == {ON_N1: 0}


def test_two_quotas_of_one_place_are_one() -> None:
    assert wanted(_plan(_quota(wanted=1), _quota(wanted=2))) == {ON_N1: 3}


def test_a_bare_pod_is_pinned_until_it_is_bound() -> None:
    entry = PlanEntry(action=PlanAction.PLACE, namespace="default", pod="tool", uid="uid-tool", target="n1")
    plan = _plan(entries=(entry,))
    tool = make_pod("tool", owner=None, node=None)

    assert unbound_pins(plan, []) == unbound_pins(plan, [tool]) == {"uid-tool": entry}
    assert unbound_pins(plan, [replace(tool, node="n1")]) == {}


@given(st.lists(st.tuples(st.sampled_from(["n1", "n2", None]), st.booleans()), max_size=8), st.integers(0, 6))
def test_what_remains_is_never_negative_and_never_hides_a_bound_pod(
    stands: list[tuple[str | None, bool]], wanted_there: int
) -> None:
    pods = [make_pod(f"p{at}", node=node, terminating=ends) for at, (node, ends) in enumerate(stands)]
    plan = _plan(_quota(wanted=wanted_there))

    left, there = remaining(plan, pods)[ON_N1], bound(plan, pods)[ON_N1]

    assert left >= 0
    assert there == sum(node == "n1" and not ends for node, ends in stands)
    assert left == max(0, wanted_there - there)
    assert _permuted(plan, pods) == remaining(plan, pods)


def _permuted(plan: Plan, pods: list[Pod]) -> object:
    return remaining(plan, pods[::-1])


def test_pods_that_end_where_others_are_awaited_make_way() -> None:
    plan = _plan(_quota(wanted=1), _quota("n2", wanted=1), entries=(_move("uid-victim"),))
    pods = [
        make_pod("ending", terminating=True),
        make_pod("ended", terminating=True, phase=Phase.FAILED),
        make_pod("victim", terminating=True),
        make_pod("waiting", node=None, terminating=True),
        make_pod("elsewhere", node="n3", terminating=True),
        make_pod("api", workload="api", terminating=True),
        make_pod("bare", owner=None, terminating=True),
        make_pod("there", node="n2"),
        make_pod("beside", node="n2", terminating=True),
    ]

    assert [pod.name for pod in making_way(plan, pods)] == ["ending"]
