"""Who is placed, moved, or left where he is."""

from dataclasses import replace
from typing import Any

import pytest

from descheduler.planning.problems.fates import tell_apart
from policies.values.pods import Owner, Phase, Pod
from policies.values.records import Landing
from policies.values.volumes import Claim, Volume
from tests.builders import NOW, make_cluster, make_node, make_pod, make_workload
from tests.descheduler.builders import landed, make_record
from tests.descheduler.planning.problems.paper import make_policy, make_situation

NODES = [make_node("n1"), make_node("n2")]


def fates_of(*pods: Pod, **changes: Any) -> Any:
    return tell_apart(make_situation(make_cluster(NODES, pods), **changes))


def names(pods: tuple[Pod, ...]) -> list[str]:
    return [pod.name for pod in pods]


def test_running_pods_move_and_pending_ones_are_placed() -> None:
    found = fates_of(make_pod("web-0"), make_pod("api-0", node=None, workload="api"))

    assert (names(found.movable), names(found.pending)) == (["web-0"], ["api-0"])
    assert (found.fixed, found.left_out, found.standing) == ({}, {}, ())


@pytest.mark.parametrize(
    ("changes", "rail"),
    [
        ({"owner": Owner("DaemonSet", "agent")}, "daemonset"),
        ({"static": True}, "static"),
        ({"terminating": True}, "terminating"),
        ({"scheduler_name": "another"}, "scope"),
        ({"owner": None}, "bare"),
        ({"owner": Owner("Job", "batch")}, "job"),
        ({"priority": 2_000_000_000}, "system-critical"),
        ({"local_storage": ("scratch",)}, "local-storage"),
        ({"grace_seconds": 61.0}, "max-grace"),
        ({"phase": Phase.PENDING, "ready": False}, "pending"),
        ({"namespace": "kube-system"}, "protected-namespace"),
    ],
)
def test_a_pod_that_a_rail_protects_stays(changes: dict[str, Any], rail: str) -> None:
    found = fates_of(make_pod("web-0", **changes))

    assert found.fixed["uid-web-0"].rail == rail
    assert (names(found.standing), found.movable) == (["web-0"], ())


def test_a_grace_period_of_the_maximum_may_move() -> None:
    assert names(fates_of(make_pod("web-0", grace_seconds=60.0)).movable) == ["web-0"]


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"gated": True}, "gates"),
        ({"terminating": True}, "deleted"),
        ({"phase": Phase.UNKNOWN}, "phase"),
        ({"scheduler_name": "another"}, "scheduler another"),
        ({"owner": Owner("DaemonSet", "agent")}, "DaemonSet"),
        ({"priority": 2_000_000_000}, "system-critical"),
    ],
)
def test_a_pending_pod_that_no_plan_places_is_left_out_and_takes_no_room(changes: dict[str, Any], word: str) -> None:
    found = fates_of(make_pod("web-0", node=None, **changes))

    assert word in found.left_out["uid-web-0"].message
    assert (found.pending, found.standing) == ((), ())


def test_a_pod_with_a_disk_is_left_out_and_stays_while_attach_limits_are_unknown() -> None:
    claim, volume = Claim(namespace="default", name="data", volume="pv"), Volume(name="pv", driver="fast")
    pods = [make_pod("web-0", claims=("data",)), make_pod("api-0", node=None, workload="api", claims=("more",))]
    claims = {"default/data": claim, "default/more": replace(claim, name="more", volume="pv-2")}
    volumes = {"pv": volume, "pv-2": replace(volume, name="pv-2")}
    cluster = make_cluster(NODES, pods, claims=claims, volumes=volumes, unreadable={"csinodes": "403 Forbidden"})

    found = tell_apart(make_situation(cluster))
    read = tell_apart(make_situation(replace(cluster, unreadable={})))

    assert str(found.fixed["uid-web-0"]) == (
        "unreadable: csinodes could not be read, so they are unknown: 403 Forbidden"
    )
    assert str(found.left_out["uid-api-0"]) == (
        "not-placed: default/api-0: csinodes could not be read, so attach limits are unknown: 403 Forbidden"
    )
    assert (names(read.movable), names(read.pending)) == (["web-0"], ["api-0"])


def test_a_pending_bare_pod_is_placed() -> None:
    assert names(fates_of(make_pod("task", node=None, owner=None)).pending) == ["task"]


def test_a_nominated_pod_stands_on_its_node() -> None:
    found = fates_of(make_pod("web-0", node=None, nominated_node="n2"))

    assert [(pod.name, pod.node) for pod in found.standing] == [("web-0", "n2")]
    assert "nominated for n2" in found.left_out["uid-web-0"].message


def test_a_pod_that_has_ended_is_nobody() -> None:
    found = fates_of(make_pod("web-0", phase=Phase.FAILED))

    assert (found.movable, found.standing, found.fixed) == ((), (), {})


def test_relief_names_who_must_leave_as_far_as_the_rails_allow() -> None:
    cluster = make_cluster(NODES, [make_pod("web-0"), make_pod("task", owner=None)])

    found = tell_apart(make_situation(cluster), relief={"uid-web-0", "uid-task"})

    assert names(found.leaving) == ["web-0"]
    assert found.movable == ()
    assert "uid-task" in found.fixed


def volume_cluster(*pods: Pod, modes: frozenset[str]) -> Any:
    claim = Claim(namespace="default", name="data", volume="v1", access_modes=modes)
    return make_cluster(NODES, pods, claims={"default/data": claim}, volumes={"v1": Volume(name="v1")})


def test_a_volume_of_two_pods_ties_the_running_one_to_its_node_and_lets_one_waiting_pod_in() -> None:
    running = make_pod("web-0", claims=("data",))
    waiting = [make_pod(f"api-{at}", node=None, workload="api", claims=("data",)) for at in range(2)]
    cluster = volume_cluster(running, *waiting, modes=frozenset({"ReadWriteOnce"}))

    found = tell_apart(make_situation(cluster))

    assert found.fixed["uid-web-0"].message == "claim data is used by default/api-0 too, and by one node at a time"
    assert names(found.pending) == ["api-0"]
    assert found.left_out["uid-api-1"].rail == "shared-volume"


def test_a_volume_for_many_ties_nobody() -> None:
    pods = [make_pod("web-0", claims=("data",)), make_pod("api-0", workload="api", claims=("data",))]

    found = tell_apart(make_situation(volume_cluster(*pods, modes=frozenset({"ReadWriteMany"}))))

    assert names(found.movable) == ["api-0", "web-0"]


def test_room_is_kept_for_a_replacement_that_was_not_seen_yet() -> None:
    cluster = make_cluster(NODES, [make_pod("web-1")], [make_workload("web", wanted=2)])
    record = make_record(destination="n2", at=NOW - 5)

    found = tell_apart(make_situation(cluster, records=(record,)))

    assert [(pod.requests, pod.node) for pod in found.standing if pod.uid.endswith("+")] == [
        (make_pod().requests, "n2")
    ]


def test_no_room_is_kept_for_a_replacement_that_waits_or_has_come() -> None:
    waiting = make_cluster(NODES, [make_pod("web-1", node=None)], [make_workload("web", wanted=2)])
    record = make_record(destination="n2", at=NOW - 5)
    bound = replace(record, verification=landed(Landing.MOVED, node="n2"))

    assert tell_apart(make_situation(waiting, records=(record,))).standing == ()
    assert tell_apart(make_situation(waiting, records=(bound,))).standing == ()


def test_a_limit_that_the_ledger_used_up_holds_everybody_it_speaks_of() -> None:
    cluster = make_cluster(NODES, [make_pod("web-0")])
    records = tuple(
        make_record(f"uid-{at}", pod_uid=f"uid-{at}", workload=None, verification=landed(Landing.SCALED_DOWN))
        for at in range(5)
    )

    found = tell_apart(make_situation(cluster, make_policy(), records=records))

    assert found.fixed["uid-web-0"].message.startswith("node limit of 5 per 600 s in plan.eviction.limits: 5 used")
