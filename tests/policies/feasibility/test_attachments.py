"""Attachments: which volumes a pod needs attached, and how many a node can attach; what nobody says is no limit."""

from dataclasses import replace

import pytest

from policies.feasibility.attachments import (
    UNLIMITED,
    alike,
    attached,
    attachments,
    limit,
    limits,
    unread,
    without_users,
)
from policies.feasibility.rows import Rows
from policies.values import kinds
from policies.values.volumes import (
    ATTACHMENTS,
    Attachment,
    Claim,
    CsiNode,
    StorageClass,
    Volume,
    VolumeAttachment,
)
from tests.builders import make_cluster, make_node, make_pod

FAST = "fast.example.invalid"
CLASSES = {
    "late": StorageClass(name="late", waits_for_first_consumer=True, driver=FAST),
    "by-hand": StorageClass(name="by-hand"),
}


def claim(name: str, volume: str | None = None, storage_class: str | None = None) -> Claim:
    return Claim(namespace="default", name=name, volume=volume, storage_class=storage_class)


CLAIMS = {
    f"default/{each.name}": each
    for each in (
        claim("a", "pv-a"),
        claim("same-disk", "pv-again"),
        claim("unnamed", "pv-unnamed"),
        claim("nfs", "pv-nfs"),
        claim("coming", None, "late"),
        claim("promised", "pv-not-there-yet", "late"),
        claim("classless"),
        claim("by-hand", None, "by-hand"),
    )
}
VOLUMES = {
    "pv-a": Volume(name="pv-a", driver=FAST, handle="vol-1"),
    "pv-again": Volume(name="pv-again", driver=FAST, handle="vol-1"),
    "pv-unnamed": Volume(name="pv-unnamed", driver=FAST),
    "pv-nfs": Volume(name="pv-nfs"),
}
CLUSTER = make_cluster(claims=CLAIMS, volumes=VOLUMES, storage_classes=CLASSES)


def needed(*claims: str) -> set[Attachment]:
    return set(attachments(make_pod(claims=claims), CLUSTER))


def test_a_bound_claim_needs_its_volume_attached() -> None:
    assert needed("a", "unnamed") == {Attachment(FAST, "vol-1"), Attachment(FAST, "volume pv-unnamed")}


def test_two_volumes_of_one_disk_are_one() -> None:
    assert needed("a", "same-disk") == {Attachment(FAST, "vol-1")}


def test_a_claim_without_its_volume_counts_by_its_class() -> None:
    assert needed("coming", "promised") == {
        Attachment(FAST, "claim default/coming"),
        Attachment(FAST, "claim default/promised"),
    }


def test_what_no_driver_attaches_and_what_nobody_knows_needs_nothing() -> None:
    assert needed() == needed("nfs", "classless", "by-hand", "never-made") == set()


def test_a_disk_that_the_pod_names_itself_counts_too() -> None:
    disk = Attachment("ebs.csi.aws.com", "vol-7")

    assert attachments(make_pod(claims=("a",), disks=(disk,)), CLUSTER) == {disk, Attachment(FAST, "vol-1")}


def test_somebody_alike_needs_as_many_of_his_own() -> None:
    pod = make_pod(claims=("a", "unnamed"))

    his, hers = (set(alike(pod, CLUSTER, of=name)) for name in ("his", "hers"))

    assert len(his | hers | needed("a", "unnamed")) == 6
    assert {each.driver for each in his | hers} == {FAST}


def standing(name: str, node: str, volume: str) -> VolumeAttachment:
    return VolumeAttachment(name=name, node=node, driver=FAST, volume=volume)


def test_what_stands_attached_is_named_as_pods_name_it() -> None:
    there = (standing("va-1", "n1", "pv-a"), standing("va-2", "n2", "pv-gone"), standing("va-3", "n1", ""))
    cluster = replace(CLUSTER, volume_attachments={each.name: each for each in there})

    assert list(attached(cluster)) == [("n1", Attachment(FAST, "vol-1"))]


def test_only_pods_where_a_volume_stands_attached_are_its_users() -> None:
    there = {"va-1": standing("va-1", "n1", "pv-a"), "va-2": standing("va-2", "n2", "pv-a")}
    cluster = replace(CLUSTER, volume_attachments=there)
    pods = [make_pod(node="n1", claims=("a",)), make_pod("waits", node=None, claims=("a",))]

    assert without_users(cluster, pods) == {"va-2": there["va-2"]}
    assert without_users(cluster, []) == there
    assert without_users(CLUSTER, pods) == {}


@pytest.mark.parametrize("kind", [kinds.CSI_NODES, kinds.CSI_DRIVERS, kinds.VOLUME_ATTACHMENTS])
def test_limits_are_unknown_while_either_list_is_not_read(kind: str) -> None:
    assert unread(CLUSTER) is None
    assert unread(replace(CLUSTER, unreadable={kind: "403"})) == (
        f"{kind} could not be read, so attach limits are unknown: 403"
    )


def test_a_driver_that_gives_no_number_has_no_limit() -> None:
    nodes = [make_node("n1"), make_node("n2"), make_node("n3")]
    csi_nodes = {"n1": CsiNode(name="n1", attachable={FAST: 0}), "n2": CsiNode(name="n2")}
    cluster = make_cluster(nodes, csi_nodes=csi_nodes)

    assert [limit(node, FAST, cluster) for node in nodes] == [0, None, None]
    assert limits(Rows(cluster.nodes), FAST, cluster).tolist() == [0, UNLIMITED, UNLIMITED]


def test_of_two_limits_the_smaller_one_holds() -> None:
    old, both = (
        make_node("n1", extended={f"{ATTACHMENTS}{FAST}": 3}),
        make_node("n2", extended={f"{ATTACHMENTS}{FAST}": 3}),
    )
    cluster = make_cluster([old, both], csi_nodes={"n2": CsiNode(name="n2", attachable={FAST: 2})})

    assert (limit(old, FAST, cluster), limit(both, FAST, cluster)) == (3, 2)
