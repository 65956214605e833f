"""Attach slots as rows: what pods need of each driver, what nodes can attach, and that no plan asks for more."""

from collections.abc import Mapping
from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st

from descheduler.optimiser.checking import Rule, check
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options
from descheduler.planning.problems.building import Built, build
from policies.feasibility.attachments import attachments
from policies.values.clusters import Cluster
from policies.values.pods import Pod
from policies.values.volumes import Attachment, Claim, CsiNode, StorageClass, Volume, VolumeAttachment
from tests.builders import make_cluster, make_node, make_pod
from tests.descheduler.planning.problems.paper import make_policy, make_situation, placing
from tests.descheduler.planning.problems.test_any_cluster import answers

FAST, SLOW = "fast.example.invalid", "slow.example.invalid"
SHARED = frozenset({"ReadWriteMany"})
NODES = ("n1", "n2", "n3")


def cluster_of(*pods: Pod, limits: Mapping[str, Mapping[str, int]], **changes: Any) -> Cluster:
    """Return three nodes with some attach limits; every claim is shared and has a volume of its own name."""
    names = sorted({name for pod in pods for name in pod.claims})
    claims = [Claim(namespace="default", name=name, volume=name, access_modes=SHARED) for name in names]
    drivers = {name: SLOW if name.startswith("slow") else FAST for name in names}
    given: dict[str, Any] = {
        "claims": {f"default/{claim.name}": claim for claim in claims},
        "volumes": {name: Volume(name=name, driver=driver, handle=name) for name, driver in drivers.items()},
        "csi_nodes": {node: CsiNode(name=node, attachable=attachable) for node, attachable in limits.items()},
    }
    return make_cluster([make_node(name) for name in NODES], pods, **(given | changes))


def built_of(*pods: Pod, limits: Mapping[str, Mapping[str, int]], **changes: Any) -> Built:
    return build(make_situation(cluster_of(*pods, limits=limits, **changes), make_policy(max_disruptions=500)))


def slots(built: Built, driver: str = FAST) -> tuple[list[int], list[int], list[int]]:
    """Return what each item needs of a driver, what each site has of it, and what the ground leaves."""
    at = built.problem.resources.index(f"attachments of {driver}")
    items, sites = built.problem.items, built.problem.sites
    return [each.requests[at] for each in items], [each.allocatable[at] for each in sites], [s.room[at] for s in sites]


def test_each_volume_of_a_pod_takes_a_slot_and_who_stays_keeps_his() -> None:
    fixed = make_pod("agent", node="n1", owner=None, claims=("a", "b"))
    web, waiting = make_pod("web-0", node="n2", claims=("c",)), make_pod("db-0", node=None, claims=("d", "e", "slow-f"))

    built = built_of(fixed, web, waiting, limits={"n1": {FAST: 5}, "n2": {FAST: 5}, "n3": {FAST: 0}})

    assert slots(built) == ([1, 2], [5, 5, 0], [3, 5, 0])
    assert f"attachments of {SLOW}" not in built.problem.resources


def test_a_volume_that_several_who_stay_share_takes_one_slot() -> None:
    fixed = [make_pod(f"agent-{at}", node="n1", owner=None, claims=("a",)) for at in range(3)]

    built = built_of(*fixed, make_pod("web-0", node=None, claims=("b",)), limits={"n1": {FAST: 2}})

    assert slots(built)[2][0] == 1


def test_a_volume_that_nobody_uses_any_more_takes_a_slot_until_it_is_detached() -> None:
    web, waiting = make_pod("web-0", node="n1", claims=("a",)), make_pod("db-0", node=None, claims=("b",))
    there = [VolumeAttachment(name=f"va-{volume}", node="n1", driver=FAST, volume=volume) for volume in ("a", "b")]

    built = built_of(web, waiting, limits={"n1": {FAST: 2}}, volume_attachments={each.name: each for each in there})

    # The one of `web-0` is what it needs itself; that of `db-0` is left from where it ran before.
    assert slots(built)[2][0] == 1


def test_a_node_that_names_no_limit_binds_nobody() -> None:
    pods = [make_pod(f"web-{at}", node=None, claims=(f"v{at}",)) for at in range(4)]

    built = built_of(*pods, limits={"n1": {FAST: 1}, "n2": {SLOW: 1}})

    assert slots(built) == ([1, 1, 1, 1], [1, 4, 4], [1, 4, 4])
    assert broken(built, web_0="n3", web_1="n3", web_2="n3", web_3="n3") == []
    assert broken(built, web_0="n1", web_1="n1") == ["attachments of fast.example.invalid of n1"]


def broken(built: Built, **places: str) -> list[str]:
    found = check(built.problem, placing(built, **places), Options())
    return [violation.where for violation in found if violation.rule is Rule.CAPACITY]


def test_a_node_with_too_many_volumes_is_closed_to_others_with_one_and_open_to_those_without() -> None:
    there = [make_pod(f"db-{at}", node="n1", workload=f"db-{at}", claims=(f"v{at}",)) for at in range(2)]
    coming = [make_pod("more-0", node=None, claims=("more",)), make_pod("web-0", node=None, workload="web")]

    built = built_of(*there, *coming, limits={"n1": {FAST: 1}})

    assert slots(built) == ([1, 1, 1, 0], [1, 3, 3], [2, 3, 3])
    assert [eligible(built.problem, at) for at in range(4)] == [[1, 2], [1, 2], [1, 2], [0, 1, 2]]
    assert rules(built, web_0="n1") == []
    assert rules(built, db_0="n2", more_0="n1") == [Rule.ELIGIBILITY]


def eligible(problem: Problem, at: int) -> list[int]:
    return list(problem.eligibility[problem.items[at].eligible])


def rules(built: Built, **places: str) -> list[Rule]:
    return [violation.rule for violation in check(built.problem, placing(built, **places), Options())]


def test_an_unbound_claim_takes_a_slot_of_its_classes_driver() -> None:
    late = StorageClass(name="late", waits_for_first_consumer=True, driver=FAST)
    claim = Claim(namespace="default", name="data", storage_class="late")
    pod = make_pod("db-0", node=None, claims=("data",))

    built = built_of(
        pod, limits={"n1": {FAST: 1}}, claims={"default/data": claim}, volumes={}, storage_classes={"late": late}
    )

    assert slots(built)[0] == [1]


def test_who_needs_more_slots_than_any_node_has_is_too_large() -> None:
    pod = make_pod("db-0", node=None, claims=("a", "b"))

    built = built_of(pod, limits={name: {FAST: 1} for name in NODES})

    assert built.pods == ()
    assert str(built.left_out["uid-db-0"]) == (
        "too-large: default/db-0: larger than each of the 3 eligible nodes if it were empty"
    )


CLAIMED = st.lists(st.sampled_from(("a", "b", "c", "slow-a", "slow-b")), unique=True, max_size=2).map(tuple)
LIMITS = st.dictionaries(st.sampled_from((FAST, SLOW)), st.integers(0, 3))


@st.composite
def attaching(draw: st.DrawFn) -> tuple[Cluster, Mapping[str, Mapping[str, int]]]:
    """Pods with volumes, shared ones too, that wait, run, or stay where they are; and the limits of the nodes."""
    pods = [
        make_pod(
            f"web-{at}",
            node=draw(st.sampled_from((None, *NODES))),
            workload=f"web-{at}",
            claims=draw(CLAIMED),
            static=draw(st.sampled_from((False, False, True))),
        )
        for at in range(draw(st.integers(1, 7)))
    ]
    limits = draw(st.dictionaries(st.sampled_from(NODES), LIMITS))
    return cluster_of(*pods, limits=limits), limits


@given(st.data(), attaching())
def test_never_are_more_attachments_planned_than_a_node_can_attach(
    data: st.DataObject, drawn: tuple[Cluster, Mapping[str, Mapping[str, int]]]
) -> None:
    cluster, limits = drawn
    built = build(make_situation(cluster, make_policy(max_disruptions=500)))

    assignment = data.draw(answers(built.problem))

    places = {pod.uid: pod.node for pod in cluster.pods.values()}
    chosen = zip(built.pods, assignment, strict=True)
    then = places | {pod.uid: None if site is None else built.nodes[site] for pod, site in chosen}
    event(f"{sum(places[uid] != node for uid, node in then.items())} changes")
    for node, said in limits.items():
        for driver, most in said.items():
            assert attached(cluster, then, node, driver) <= max(most, attached(cluster, places, node, driver))


def attached(cluster: Cluster, places: Mapping[str, str | None], node: str, driver: str) -> int:
    """Count the volumes of a driver on a node as kube-scheduler does: each once."""
    found = set[Attachment]()
    for uid, place in places.items():
        if place == node:
            found |= attachments(cluster.pods[uid], cluster)
    return sum(volume.driver == driver for volume in found)
