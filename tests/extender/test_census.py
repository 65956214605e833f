"""Who is on which node, and who came or went lately."""

import pytest

from extender.census import Census
from policies.placement.expected_load import Turn
from policies.values.pods import Owner, Phase
from tests.builders import HOUR, NOW, make_pod, make_resources

LABELS = {"pod-template-hash": "7d4"}
OWNER = Owner("ReplicaSet", "web-7d4")


def test_a_pod_that_is_bound_has_come_to_its_node() -> None:
    census = Census()
    pod = make_pod(bound_at=NOW - 5, owner=OWNER, labels=LABELS)

    node = census.put(pod, now=NOW)

    assert node == "n1"
    assert census.pod(pod.uid) is pod
    assert census.turns("n1") == (Turn(NOW - 5, pod, "default/web"),)


def test_a_pending_pod_stands_nowhere() -> None:
    census = Census()

    assert census.put(make_pod(node=None), now=NOW) is None
    assert len(census) == 0


def test_a_pod_made_with_its_nodes_name_came_when_it_was_made() -> None:
    census = Census()

    census.put(make_pod(bound_at=None, created_at=NOW - 9), now=NOW)

    assert census.turns("n1")[0].at == NOW - 9


def test_the_requests_of_a_pod_that_was_adopted_go_to_its_new_workload() -> None:
    census = Census()
    requests = make_resources(cpu=2000)
    census.put(make_pod(requests=requests), now=NOW)

    census.put(make_pod(requests=requests, owner=OWNER, labels=LABELS), now=NOW)
    assert census.requested().keys() == {"default/web"}

    census.remove(make_pod().uid, now=NOW)
    assert census.requested() == {}


@pytest.mark.parametrize("phase", [Phase.SUCCEEDED, Phase.FAILED])
def test_a_pod_that_ran_to_its_end_has_left(phase: Phase) -> None:
    census = Census()
    census.put(make_pod(), now=NOW)

    node = census.put(make_pod(phase=phase), now=NOW)

    assert node == "n1"
    assert [turn.ended for turn in census.turns("n1")] == [True]
    assert len(census) == 0


def test_a_deleted_pod_has_left_once() -> None:
    census = Census()
    pod = make_pod(bound_at=NOW - 1)
    census.put(pod, now=NOW)

    assert census.remove(pod.uid, now=NOW + 3) == "n1"
    assert census.remove(pod.uid, now=NOW + 4) is None
    assert [(turn.at, turn.ended) for turn in census.turns("n1")] == [(NOW - 1, False), (NOW + 3, True)]


def test_pods_bound_long_ago_leave_no_turn() -> None:
    census = Census()

    assert census.put(make_pod(bound_at=NOW - HOUR), now=NOW) is None
    assert census.turns("n1") == ()


def test_turns_are_forgotten_after_their_time() -> None:
    census = Census(memory=60.0)
    census.put(make_pod("a", bound_at=NOW - 50), now=NOW)
    census.put(make_pod("b", bound_at=NOW), now=NOW)

    assert [turn.pod.name for turn in census.all_turns(now=NOW + 30)] == ["b"]
    assert not census.all_turns(now=NOW + 90)
    assert census.turns("n1") == ()


def test_an_update_that_changes_no_place_is_no_turn() -> None:
    census = Census()
    census.put(make_pod(), now=NOW)

    assert census.put(make_pod(ready=False), now=NOW) is None


def test_requests_add_up_by_workload_and_follow_every_change() -> None:
    census = Census()
    small, large = make_resources(cpu=100), make_resources(cpu=300)
    census.put(make_pod("a", requests=small, owner=OWNER, labels=LABELS), now=NOW)
    census.put(make_pod("b", requests=small, owner=OWNER, labels=LABELS), now=NOW)

    census.put(make_pod("a", requests=large, owner=OWNER, labels=LABELS), now=NOW)
    assert census.requested() == {"default/web": {"cpu": 400}}

    census.remove("uid-a", now=NOW)
    assert census.requested() == {"default/web": {"cpu": 100}}

    census.remove("uid-b", now=NOW)
    assert census.requested() == {}
