"""Reservations: what is promised of a node, what is left of it, and against whom a promise counts."""

from hypothesis import given
from hypothesis import strategies as st

from policies.plans.quotas import kind
from policies.plans.reservations import Promise, Reserve, Room, Share, ports_clash, reserve, shares
from policies.values.pods import Constraints, HostPort, Phase, Pod
from policies.values.resources import Resources
from tests.builders import make_node, make_pod, make_resources
from tests.policies.plans.making import SMALL, controller, make_entry, make_plan, make_quota, pending

WEB = kind(controller(), SMALL)
HTTP = (HostPort(80),)
NOBODY: frozenset[str] = frozenset()


def _promise(*, count: int = 1, priority: int = 0, cpu: int = 1000, ports: tuple[HostPort, ...] = ()) -> Promise:
    requests = make_resources(cpu=cpu, pods=1)
    return Promise(whom=WEB, count=count, priority=priority, requests=requests, host_ports=ports)


def _by_uid(*pods: Pod) -> dict[str, Pod]:
    return {pod.uid: pod for pod in pods}


def test_quotas_and_pins_are_shares_of_their_nodes() -> None:
    tool = pending("tool", owner=None, priority=7)
    plan = make_plan(make_quota(wanted=2, priority=5), make_quota("api", "n2"), entries=[make_entry(tool, "n1")])

    found = shares(plan)

    assert {*found} == {"n1", "n2"}
    assert found["n1"].quotas == (Promise(whom=WEB, count=2, priority=5, requests=SMALL),)
    assert found["n1"].pins == (Promise(whom="uid-tool", count=1, priority=7, requests=tool.requests),)
    assert found["n1"].promises == found["n1"].quotas + found["n1"].pins


def test_what_is_bound_is_promised_no_more() -> None:
    share = Share(quotas=(_promise(count=3),))
    there = make_pod("a", requests=make_resources(cpu=1000, pods=1))
    promise = Promise(whom=kind(controller(), there.requests), count=3, priority=0, requests=there.requests)

    stands = reserve(Share(quotas=(promise,)), make_node(), _by_uid(there), leaving=NOBODY)

    assert [one.count for one in stands.promises] == [2]
    assert [one.count for one in reserve(share, make_node(), {}, leaving=NOBODY).promises] == [3]


def test_a_quota_that_is_met_and_a_pinned_pod_that_stands_there_promise_nothing() -> None:
    tool = make_pod("tool", owner=None)
    plan = make_plan(make_quota(), entries=[make_entry(pending("tool", owner=None), "n1")])

    stands = reserve(shares(plan)["n1"], make_node(), _by_uid(tool, make_pod("a")), leaving=NOBODY)

    assert stands.promises == ()
    assert stands.room(0) == Room({})


def test_victims_count_as_gone_and_terminating_pods_do_not() -> None:
    victim, going = make_pod("v", cpu=500), make_pod("t", cpu=300, terminating=True)
    ended = make_pod("e", cpu=900, phase=Phase.SUCCEEDED)

    stands = reserve(
        Share(quotas=(_promise(),)),
        make_node(cpu=4000),
        _by_uid(victim, going, ended),
        leaving=frozenset({victim.uid}),
    )

    assert stands.free["cpu"] == 3700
    assert stands.room(0).left["cpu"] == 2700


def test_a_promise_counts_only_against_equal_and_lower_priorities() -> None:
    stands = Reserve(free=make_resources(cpu=4000, pods=10), promises=(_promise(priority=5),))

    assert stands.room(5).left == {"cpu": 3000, "pods": 9}
    assert stands.room(-1).left == {"cpu": 3000, "pods": 9}
    assert stands.room(6).left == {}


def test_only_what_is_promised_is_watched_over() -> None:
    stands = Reserve(free=make_resources(cpu=1000, pods=1), promises=(_promise(cpu=1000),))
    heavy = pending("h", requests=make_resources(memory=2**50))

    assert not stands.room(0).closed_to(heavy)


def test_a_pod_that_waits_for_the_node_takes_its_room_from_equal_and_lower_ones() -> None:
    waiting = pending("w", cpu=600, priority=3)
    stands = Reserve(free=make_resources(cpu=4000, pods=10), promises=(_promise(priority=9),), nominated=(waiting,))

    assert stands.room(3).left["cpu"] == 2400
    assert stands.room(4).left["cpu"] == 3000


def test_room_is_closed_by_what_others_have_claimed_and_opened_by_what_becomes_free() -> None:
    room = Room({"cpu": 500, "example.com/gpu": 1})
    pod = pending("a", requests=make_resources(cpu=500))

    assert not room.closed_to(pod)
    assert room.closed_to(pod, claimed={"cpu": 1})
    assert not room.closed_to(pod, claimed={"cpu": 1}, freed={"cpu": 1})


def test_a_promised_host_port_closes_the_node() -> None:
    stands = Reserve(free=make_resources(cpu=4000, pods=10), promises=(_promise(ports=HTTP),))
    web = pending("a", constraints=Constraints(host_ports=HTTP))
    other = pending("b", constraints=Constraints(host_ports=(HostPort(81),)))

    assert stands.room(0).closed_to(web)
    assert not stands.room(0).closed_to(other)
    assert not stands.room(1).closed_to(web)


def test_ports_of_different_protocols_or_addresses_do_not_clash() -> None:
    here = [HostPort(80, "TCP", "10.0.0.1")]

    assert ports_clash(here, HTTP)
    assert not ports_clash(here, [HostPort(80, "UDP"), HostPort(80, "TCP", "10.0.0.2")])


def test_an_unknown_node_has_nothing_to_give() -> None:
    stands = reserve(Share(quotas=(_promise(),)), None, {}, leaving=NOBODY)

    assert stands.room(0).left["cpu"] == -1000


AMOUNTS = st.integers(0, 4000)


@given(free=AMOUNTS, promised=AMOUNTS, asked=AMOUNTS, claimed=AMOUNTS, priority=st.integers(-1, 2))
def test_whoever_passes_leaves_what_is_promised_to_his_betters_and_equals(
    free: int, promised: int, asked: int, claimed: int, priority: int
) -> None:
    stands = Reserve(free=Resources({"cpu": free}), promises=(_promise(priority=0, cpu=promised),))
    pod = pending("a", requests=Resources({"cpu": asked}))

    closed = stands.room(priority).closed_to(pod, claimed={"cpu": claimed})

    held_back = promised if priority <= 0 else 0
    if asked and held_back:
        assert closed == (asked > free - held_back - claimed)
    else:
        assert not closed


@given(free=AMOUNTS, more=AMOUNTS, promised=AMOUNTS, asked=AMOUNTS)
def test_more_capacity_never_closes_a_node(free: int, more: int, promised: int, asked: int) -> None:
    promise, pod = _promise(cpu=promised), pending("a", requests=Resources({"cpu": asked}))
    before = Reserve(free=Resources({"cpu": free}), promises=(promise,)).room(0).closed_to(pod)
    after = Reserve(free=Resources({"cpu": free + more}), promises=(promise,)).room(0).closed_to(pod)

    assert before or not after
