"""Attach limits: each volume once a node, planned ones too; no number is no limit, and nothing read is no node."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from policies.feasibility.attachments import attachments
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicates import feasible
from policies.values import kinds
from policies.values.pods import Pod
from policies.values.volumes import Attachment, Claim, CsiNode, Volume, VolumeAttachment
from tests.builders import make_node, make_pod
from tests.policies.feasibility.places import closed, occupied

FAST, SLOW = "fast.example.invalid", "slow.example.invalid"
SHARED = frozenset({"ReadWriteMany"})
FULL = {"n2": f"attach-limits: attach limit of {FAST}"}


def occupancy(pods: list[Pod], limits: Mapping[str, Mapping[str, int]], **cluster: Any) -> Occupancy:
    """Return nodes n1 to n3 with pods whose claims are all shared and bound to a volume of the same name."""
    names = {name for pod in pods for name in pod.claims}
    claims = {
        f"default/{name}": Claim(namespace="default", name=name, volume=name, access_modes=SHARED) for name in names
    }
    drivers = {name: SLOW if name.startswith("slow") else FAST for name in names}
    return occupied(
        [make_node("n1"), make_node("n2"), make_node("n3")],
        pods,
        claims=claims,
        volumes={name: Volume(name=name, driver=driver, handle=name) for name, driver in drivers.items()},
        csi_nodes={node: CsiNode(name=node, attachable=attachable) for node, attachable in limits.items()},
        **cluster,
    )


def test_a_node_whose_limit_is_reached_takes_no_volume_more() -> None:
    pod, there = make_pod("web-0", claims=("a",)), make_pod("db-0", node="n2", claims=("b",))

    assert closed(pod, occupancy([pod, there], {"n2": {FAST: 1}})) == FULL
    assert closed(pod, occupancy([pod, there], {"n2": {FAST: 2}})) == {}


def test_a_pod_that_needs_several_needs_room_for_all() -> None:
    pod = make_pod("web-0", claims=("a", "b"))

    assert closed(pod, occupancy([pod], {"n2": {FAST: 1}})) == FULL
    assert closed(pod, occupancy([pod], {"n2": {FAST: 2}})) == {}


def test_a_limit_of_nothing_is_a_limit_and_no_word_is_none() -> None:
    pod = make_pod("web-0", claims=("a",))

    assert closed(pod, occupancy([pod], {"n2": {FAST: 0}, "n3": {}})) == FULL


def test_another_drivers_limit_concerns_nobody_else() -> None:
    pod, there = make_pod("web-0", claims=("a",)), make_pod("db-0", node="n2", claims=("slow-b",))

    assert closed(pod, occupancy([pod, there], {"n2": {SLOW: 0, FAST: 1}})) == {}


def test_a_pod_without_volumes_goes_anywhere() -> None:
    pod, there = make_pod("web-0"), make_pod("db-0", node="n2", claims=("a",))

    assert closed(pod, occupancy([pod, there], {"n2": {FAST: 0}})) == {}


def test_a_volume_that_is_there_already_needs_no_slot() -> None:
    pod, there = make_pod("web-0", claims=("a",)), make_pod("db-0", node="n2", claims=("a", "b"))

    assert closed(pod, occupancy([pod, there], {"n2": {FAST: 1}})) == {}


def test_a_volume_of_several_pods_takes_one_slot() -> None:
    users = [make_pod(f"db-{at}", node="n2", claims=("b",)) for at in range(3)]
    pod = make_pod("web-0", claims=("a",))

    assert closed(pod, occupancy([pod, *users], {"n2": {FAST: 2}})) == {}


def test_planned_moves_take_slots_whoever_asked_before() -> None:
    first, second = make_pod("web-0", claims=("a",)), make_pod("web-1", claims=("b",))
    before = occupancy([first, second], {"n2": {FAST: 1}})
    asked = occupancy([first, second], {"n2": {FAST: 1}})
    assert closed(second, asked) == {}

    for each in (before, asked):
        each.place(first, "n2")

    assert closed(second, before) == closed(second, asked) == FULL


def test_a_pod_in_flight_brings_volumes_of_its_own() -> None:
    pod = make_pod("db-0", claims=("a",))
    occupied_ = occupancy([pod], {"n2": {FAST: 1}})

    # A sibling of db-0 is on its way to n2: nobody knows its volume, only that it is not db-0's.
    occupied_.place(pod, "n2")

    assert closed(pod, occupied_) == FULL


def lingering(volume: str) -> dict[str, VolumeAttachment]:
    return {"va": VolumeAttachment(name="va", node="n2", driver=FAST, volume=volume)}


def test_a_volume_that_is_still_attached_for_nobody_takes_a_slot() -> None:
    pod, gone = make_pod("web-0", claims=("a",)), make_pod("db-0", node="n1", claims=("b",))
    there = replace(gone, node="n2")

    assert closed(pod, occupancy([pod, gone], {"n2": {FAST: 1}}, volume_attachments=lingering("b"))) == FULL
    assert closed(pod, occupancy([pod, gone], {"n2": {FAST: 2}}, volume_attachments=lingering("b"))) == {}
    assert closed(pod, occupancy([pod, there], {"n2": {FAST: 2}}, volume_attachments=lingering("b"))) == {}
    unknown = lingering("b") | {"va-2": VolumeAttachment(name="va-2", node="n9", driver=FAST, volume="b")}
    assert closed(pod, occupancy([pod, gone], {"n2": {FAST: 2}}, volume_attachments=unknown)) == {}


def test_a_pods_own_volume_spares_no_slot_where_it_is_only_being_detached() -> None:
    pod = make_pod("web-0", claims=("a",))

    assert closed(pod, occupancy([pod], {"n2": {FAST: 1}}, volume_attachments=lingering("a"))) == FULL
    assert closed(pod, occupancy([pod], {"n2": {FAST: 2}}, volume_attachments=lingering("a"))) == {}


def test_limits_that_were_not_read_close_every_node_to_pods_with_volumes() -> None:
    pod, other = make_pod("web-0", claims=("a",)), make_pod("web-1")
    blind = occupancy([pod, other], {}, unreadable={kinds.CSI_NODES: "403 Forbidden"})

    assert closed(pod, blind) == dict.fromkeys(("n1", "n2", "n3"), "attach-limits: attach limits not known")
    assert closed(other, blind) == {}


CLAIMED = st.lists(st.sampled_from(("a", "b", "c", "d", "slow-a", "slow-b")), unique=True, max_size=3).map(tuple)
LIMITS = st.dictionaries(st.sampled_from((FAST, SLOW)), st.integers(0, 3))


@given(
    st.lists(st.tuples(CLAIMED, st.sampled_from(("n1", "n2", "n3")))),
    st.dictionaries(st.sampled_from(("n1", "n2", "n3")), LIMITS),
)
def test_whoever_goes_only_where_he_may_never_exceeds_a_limit(
    wishes: list[tuple[tuple[str, ...], str]], said: dict[str, dict[str, int]]
) -> None:
    coming = [(make_pod(f"web-{at}", node=None, claims=claims), to) for at, (claims, to) in enumerate(wishes)]
    state = occupancy([pod for pod, _ in coming], said)
    standing: dict[str, set[Attachment]] = {}

    for pod, node in coming:
        if feasible(pod, node, state) is None:
            state.place(pod, node)
            standing.setdefault(node, set()).update(attachments(pod, state.cluster))

    for node, volumes in standing.items():
        for driver, most in said.get(node, {}).items():
            assert sum(volume.driver == driver for volume in volumes) <= most
