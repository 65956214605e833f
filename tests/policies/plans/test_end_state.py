"""The end state of a plan: who stays, who has arrived, stand-ins for the others, and what cannot stand there."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.plans.end_state import end_state, why_not
from policies.values import kinds
from policies.values.clusters import Cluster
from policies.values.nodes import Taint
from policies.values.pods import Constraints, HostPort, Owner, Pod, PodTerm, SpreadConstraint
from policies.values.selectors import LabelSelector, Operator, Requirement
from policies.values.volumes import Claim, CsiNode, Volume, VolumeAttachment
from tests.builders import make_cluster, make_node, make_pod
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan, with_node, with_pods

WEB = LabelSelector((Requirement("app", Operator.IN, ("web",)),))
PORT = Constraints(host_ports=(HostPort(8080),))


def stands(cluster: Cluster) -> dict[str, list[str]]:
    """Return the names of the pods on each node."""
    found: dict[str, list[str]] = {}
    for pod in cluster.pods.values():
        found.setdefault(pod.node or "nowhere", []).append(pod.name)
    return {node: sorted(names) for node, names in found.items()}


def said(plan_of: Cluster, now: Cluster | None = None, **steps: Any) -> str | None:
    """Return in words why a plan made of one cluster cannot end on another (the same by default)."""
    refusal = why_not(make_plan(plan_of, **steps), now or plan_of)
    return None if refusal is None else str(refusal)


def test_victims_are_gone_and_everybody_planned_has_a_stand_in() -> None:
    state = end_state(the_papers_plan(), the_paper())

    assert stands(state.cluster) == {
        "n1": ["api-0", "web-2"],
        "n2": ["api-1", "big-0"],
        "n3": ["web-0", "web-1"],
    }
    assert sorted(pod.name for pod in state.coming) == ["big-0", "web-2"]
    assert why_not(the_papers_plan(), the_paper()) is None


def test_who_has_arrived_stands_for_himself() -> None:
    before = the_paper()
    big = before.pods["uid-big-0"]
    now = with_pods(before, replace(big, node="n2"), make_pod("web-x", node="n1", cpu=400), without=("web-2",))

    state = end_state(the_papers_plan(), now)

    assert state.coming == ()
    assert stands(state.cluster) == {"n1": ["api-0", "web-x"], "n2": ["api-1", "big-0"], "n3": ["web-0", "web-1"]}


def test_a_replacement_that_ends_again_makes_way_for_the_next_one() -> None:
    ending = make_pod("web-x", node="n1", cpu=400, terminating=True)
    now = with_node(with_pods(the_paper(), ending, without=("web-2",)), make_node("n1", cpu=900))

    assert stands(end_state(the_papers_plan(), now).cluster)["n1"] == ["api-0", "web-2"]
    assert why_not(the_papers_plan(), now) is None


def test_a_replacement_that_waits_has_one_stand_in_and_takes_its_room_once() -> None:
    waiting = make_pod("web-x", node=None, cpu=400, nominated_node="n1")
    now = with_pods(the_paper(), waiting, without=("web-2",))

    state = end_state(the_papers_plan(), now)

    assert stands(state.cluster)["n1"] == ["api-0", "web-2"]
    assert why_not(the_papers_plan(), now) is None


def test_a_pod_of_the_plan_that_is_nominated_elsewhere_takes_room_there() -> None:
    before = the_paper()
    plan = make_plan(before, move={"web-2": "n1"})
    now = with_pods(before, make_pod("web-x", node=None, cpu=400, nominated_node="n2"))

    assert "web-x" in {pod.name for pod in end_state(plan, now).cluster.pods.values()}


def test_without_any_pod_of_the_kind_the_entry_itself_is_counted() -> None:
    before = make_cluster([make_node("n1", cpu=1000), make_node("n2", cpu=100)], [make_pod("web-0", cpu=400)])
    gone = with_pods(before, without=("web-0",))

    (stand_in,) = end_state(make_plan(before, move={"web-0": "n2"}), gone).coming

    assert (stand_in.name, stand_in.node, stand_in.requests) == ("web-0", "n2", before.pods["uid-web-0"].requests)
    assert said(before, gone, move={"web-0": "n2"}) == "plan-room: n2 would lack 300 of cpu with default/web-0 on it"


def test_bare_pods_are_counted_until_they_are_bound() -> None:
    bare = make_pod("bare", node=None, owner=None, cpu=500)
    before = make_cluster([make_node("n1", cpu=1000)], [bare])
    plan = make_plan(before, place={"bare": "n1"})

    assert [pod.uid for pod in end_state(plan, before).coming] == ["uid-bare"]
    assert end_state(plan, with_pods(before, replace(bare, node="n1"))).coming == ()
    assert [pod.name for pod in end_state(plan, with_pods(before, without=("bare",))).coming] == ["bare"]


def test_room_that_others_took_is_missed() -> None:
    now = with_pods(the_paper(), make_pod("late", node="n2", workload="late", cpu=100))

    refusal = why_not(the_papers_plan(), now)

    assert str(refusal) == "plan-room: n2 would lack 100 of cpu with default/big-0 on it"


@pytest.mark.parametrize("changes", [{"node": None, "nominated_node": "n2"}, {"node": "n2", "terminating": True}])
def test_nominated_and_terminating_pods_take_their_room(changes: dict[str, Any]) -> None:
    now = with_pods(the_paper(), make_pod("late", workload="late", cpu=1, **changes))

    assert str(why_not(the_papers_plan(), now)) == "plan-room: n2 would lack 1 of cpu with default/big-0 on it"


def test_a_node_that_shrank_has_no_room() -> None:
    before = the_paper()
    now = with_node(before, make_node("n2", cpu=999))

    assert str(why_not(the_papers_plan(), now)) == "plan-room: n2 would lack 1 of cpu with default/big-0 on it"


def test_a_node_over_its_capacity_where_nobody_goes_is_no_reason() -> None:
    before = the_paper()
    now = with_node(before, make_node("n3", cpu=1))

    assert why_not(the_papers_plan(), now) is None


def test_a_node_that_is_gone_takes_nobody() -> None:
    before = the_paper()
    now = replace(before, nodes={name: node for name, node in before.nodes.items() if name != "n1"})

    assert str(why_not(the_papers_plan(), now)) == "plan-node: n1, where default/web-2 is to go, is gone"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"cordoned": True}, "node-state: n1: cordoned, for default/web-2"),
        ({"taints": (Taint("gpu", "", "NoSchedule"),)}, "taints: n1: taint gpu, for default/web-2"),
    ],
)
def test_a_node_that_takes_no_such_pods_is_named(changes: dict[str, Any], reason: str) -> None:
    before = the_paper()
    now = with_node(before, make_node("n1", cpu=1000, **changes))

    assert str(why_not(the_papers_plan(), now)) == reason


def test_two_pods_with_one_host_port_do_not_meet() -> None:
    pods = [make_pod("a", node="n1", constraints=PORT), make_pod("b", node="n2", workload="b", constraints=PORT)]
    before = make_cluster([make_node("n1"), make_node("n2"), make_node("n3")], pods)

    assert said(before, move={"a": "n2"}) == "host-ports: n2: host port of default/a taken"
    assert said(before, move={"a": "n2", "b": "n3"}) is None


def test_anti_affinity_counts_those_who_come_and_not_those_who_go() -> None:
    apart = Constraints(anti_affinity=(PodTerm("kubernetes.io/hostname", WEB, frozenset({"default"})),))
    pods = [make_pod(f"web-{at}", node=f"n{at}", constraints=apart) for at in (1, 2)]
    before = make_cluster([make_node(f"n{at}") for at in (1, 2, 3)], pods)

    assert said(before, move={"web-1": "n2"}) == "anti-affinity: n2: anti-affinity, for default/web-1"
    assert said(before, move={"web-1": "n2", "web-2": "n1"}) is None
    both = said(before, move={"web-1": "n3", "web-2": "n3"})
    assert both == "anti-affinity: n3: anti-affinity, for default/web-1"


def test_affinity_is_met_by_those_who_come_along() -> None:
    near = Constraints(affinity=(PodTerm("kubernetes.io/hostname", WEB, frozenset({"default"})),))
    pods = [make_pod("web-0"), make_pod("api-0", workload="api", constraints=near)]
    before = make_cluster([make_node("n1"), make_node("n2")], pods)

    assert said(before, move={"web-0": "n2", "api-0": "n2"}) is None
    assert said(before, move={"api-0": "n2"}) == "affinity: n2: affinity, for default/api-0"


def test_spread_is_counted_at_the_end() -> None:
    spread = Constraints(spread=(SpreadConstraint("kubernetes.io/hostname", 1, WEB),))
    pods = [make_pod(f"web-{at}", node=f"n{at}", constraints=spread) for at in (1, 2)]
    before = make_cluster([make_node("n1"), make_node("n2"), make_node("n3")], pods)

    assert said(before, move={"web-1": "n3"}) is None
    assert said(before, move={"web-1": "n2"}) == "topology-spread: n2: topology spread, for default/web-1"


def stateful(name: str, node: str) -> Pod:
    """Return a StatefulSet pod with a volume of its own."""
    return make_pod(name, node=node, workload="db", owner=Owner("StatefulSet", "db"), claims=(f"data-{name}",))


def test_a_replacement_brings_its_own_volume_and_not_that_of_a_sibling() -> None:
    pods = [stateful("db-0", "n1"), stateful("db-1", "n2")]
    claims = {
        f"default/data-{name}": Claim(
            namespace="default", name=f"data-{name}", volume=name, access_modes=frozenset({"ReadWriteOnce"})
        )
        for name in ("db-0", "db-1")
    }
    volumes = {name: Volume(name=name) for name in ("db-0", "db-1")}
    nodes = [make_node("n1"), make_node("n2"), make_node("n3")]
    before = make_cluster(nodes, pods, claims=claims, volumes=volumes)

    assert said(before, move={"db-0": "n3"}) is None
    assert said(before, with_pods(before, without=("db-0",)), move={"db-0": "n3"}) is None
    here = with_pods(before, replace(stateful("db-0", ""), node=None))
    assert said(before, here, move={"db-0": "n3"}) is None
    user = make_pod("reader", node="n2", workload="reader", claims=("data-db-0",))
    used = said(before, with_pods(here, user), move={"db-0": "n3"})
    assert used == "volumes: n3: volume in use on another node, for default/db-0"


def disks(**cluster: Any) -> Cluster:
    """Return `db-0` on n1 and `log-0` on n2 with a volume each, and n2 attaches one."""
    pods = [make_pod("db-0", workload="db", claims=("a",)), make_pod("log-0", workload="log", node="n2", claims=("b",))]
    claims = {f"default/{name}": Claim(namespace="default", name=name, volume=name) for name in ("a", "b")}
    volumes = {name: Volume(name=name, driver="fast") for name in ("a", "b")}
    nodes = [make_node("n1"), make_node("n2"), make_node("n3")]
    csi_nodes = {"n2": CsiNode(name="n2", attachable={"fast": 1})}
    return make_cluster(nodes, pods, claims=claims, volumes=volumes, csi_nodes=csi_nodes, **cluster)


TOO_MANY = "attach-limits: n2 would have 1 volumes of fast more than it can attach, with default/db-0 on it"


def test_a_node_attaches_no_more_volumes_than_it_can() -> None:
    before = disks()

    assert said(before, move={"db-0": "n3"}) is None
    assert said(before, move={"db-0": "n2"}) == TOO_MANY
    assert said(before, move={"db-0": "n2", "log-0": "n3"}) is None


def test_who_is_to_come_needs_slots_for_volumes_nobody_knows_yet() -> None:
    before = disks()
    gone = with_pods(before, make_pod("db-7", workload="db", node="n3", claims=("c",)), without=("db-0",))
    other = {"default/c": Claim(namespace="default", name="c", volume="c")}
    now = replace(
        gone, claims={**before.claims, **other}, volumes={**before.volumes, "c": Volume(name="c", driver="fast")}
    )

    assert said(before, now, move={"db-0": "n2"}) == TOO_MANY
    assert said(before, now, move={"db-0": "n3"}) is None


def test_a_volume_that_is_being_detached_hinders_no_end_state() -> None:
    lingering = VolumeAttachment(name="va", node="n2", driver="fast", volume="b")
    before = disks(volume_attachments={"va": lingering})

    assert said(before, move={"db-0": "n2", "log-0": "n3"}) is None


def test_attach_limits_that_were_not_read_are_unknown() -> None:
    before = disks(unreadable={kinds.CSI_NODES: "403 Forbidden"})

    assert said(before, move={"db-0": "n3"}) == (
        "attach-limits: n3, for default/db-0: csinodes could not be read, so attach limits are unknown: 403 Forbidden"
    )
    assert said(disks(unreadable={kinds.NAMESPACES: "403"}), move={"db-0": "n3"}) is None


@given(arrived=st.integers(0, 3))
def test_stand_ins_and_arrivals_are_as_many_as_wanted(arrived: int) -> None:
    nodes = [make_node("n1"), make_node("n2")]
    before = make_cluster(nodes, [make_pod(f"web-{at}", node=None) for at in range(3)])
    plan = make_plan(before, place={f"web-{at}": "n1" for at in range(3)})
    now = with_pods(before, *(make_pod(f"web-{at}", node="n1") for at in range(arrived)))

    state = end_state(plan, now)

    assert len(state.coming) == 3 - arrived
    assert [pod.node for pod in state.cluster.pods.values() if pod.node] == ["n1"] * 3
