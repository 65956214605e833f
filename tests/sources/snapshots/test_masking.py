"""Masked snapshots: no name is left, what fits together still does, and plans come out the same."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given

from policies.feasibility.attachments import attached, attachments, limit
from policies.values.clusters import Cluster
from policies.values.nodes import Taint
from policies.values.pods import Constraints, HostPort, Pod, PodTerm, Toleration
from policies.values.selectors import LabelSelector, NodeSelectorTerm, Operator, Requirement
from policies.values.volumes import Attachment, Claim, CsiDriver, CsiNode, StorageClass, Volume, VolumeAttachment
from policies.values.workloads import WorkloadRef
from sources.snapshots.masking import mask
from sources.snapshots.snapshot import Snapshot
from sources.snapshots.writing import dump_snapshot
from tests import strategies
from tests.builders import make_cluster, make_node, make_pod, make_workload
from tests.descheduler.builders import make_record

SECRETS = (
    "secretnode",
    "secretpod",
    "secretapp",
    "secretns",
    "secretlabel",
    "secretclass",
    "secretclaim",
    "secretvolume",
    "secretdriver",
    "secrettaint",
    "secretgpu",
    "secretreason",
    "secretaddress",
    "secretzone",
    "secretkind",
)


def secretive() -> Snapshot:
    """Return a snapshot with a name of its own in every place that has one."""
    selector = LabelSelector((Requirement("example.org/secretlabel", Operator.IN, ("secretapp",)),))
    term = NodeSelectorTerm(
        (Requirement("topology.kubernetes.io/zone", Operator.IN, ("secretzone",)),),
        (Requirement("metadata.name", Operator.IN, ("secretnode-1",)),),
    )
    node = make_node(
        "secretnode-1",
        labels={"topology.kubernetes.io/zone": "secretzone", "example.org/secretlabel": "7"},
        taints=(Taint("secrettaint", "secretapp", "NoSchedule"),),
        addresses=("secretaddress",),
        annotations={"example.org/secretlabel": "secretapp", "karpenter.sh/do-not-disrupt": "secretreason"},
        extended={"example.org/secretgpu": 2, "attachable-volumes-csi-secretdriver": 5},
    )
    constraints = Constraints(
        node_terms=(term,),
        tolerations=(Toleration("secrettaint", "Equal", "secretapp", "NoSchedule"),),
        anti_affinity=(PodTerm("example.org/secretlabel", selector, frozenset({"secretns"})),),
        host_ports=(HostPort(80, address="secretaddress"),),
    )
    pod = make_pod(
        "secretpod-0",
        node="secretnode-1",
        workload="secretapp",
        namespace="secretns",
        labels={"example.org/secretlabel": "secretapp", "app": "secretapp"},
        constraints=constraints,
        claims=("secretclaim",),
        disks=(Attachment("secretdriver", "secretvolume"),),
        priority_class="secretclass",
        local_storage=("secretvolume",),
    )
    ref = WorkloadRef("Secretkind", "secretns", "secretapp")
    claim = Claim(namespace="secretns", name="secretclaim", volume="secretvolume", storage_class="secretclass")
    volume = Volume(name="secretvolume", driver="secretdriver", handle="secretaddress/secretvolume", node_terms=(term,))
    there = VolumeAttachment(name="secretvolume", node="secretnode-1", driver="secretdriver", volume="secretvolume")
    return Snapshot(
        cluster=make_cluster(
            [node],
            [pod],
            [make_workload("secretapp", namespace="secretns", rollout="secretreason")],
            workload_of={pod.uid: ref},
            claims={"secretns/secretclaim": claim},
            volumes={"secretvolume": volume},
            storage_classes={"secretclass": StorageClass(name="secretclass", driver="secretdriver")},
            csi_nodes={
                "secretnode-1": CsiNode(
                    name="secretnode-1", attachable={"secretdriver": 7}, drivers=frozenset({"secretdriver"})
                )
            },
            csi_drivers={"secretdriver": CsiDriver(name="secretdriver", needed=True)},
            volume_attachments={"secretvolume": there},
            namespace_labels={"secretns": {"secretlabel": "secretapp"}},
            unreadable={"nodes": "secretreason"},
        ),
        records=(
            make_record(pod="secretpod-0", node="secretnode-1", reason="secretreason", evidence={"pod.cpu": 1.0}),
        ),
        use={"cpu": {pod.uid: 0.5}},
    )


def only(pods: Mapping[str, Pod]) -> Pod:
    (pod,) = pods.values()
    return pod


@pytest.mark.parametrize("secret", SECRETS)
def test_no_name_is_left(secret: str) -> None:
    assert secret in dump_snapshot(secretive()).decode().lower()
    assert secret not in dump_snapshot(mask(secretive(), salt="s")).decode().lower()


def test_what_fits_together_still_does() -> None:
    cluster = mask(secretive(), salt="s").cluster
    pod, (node,), (claim,) = only(cluster.pods), cluster.nodes.values(), cluster.claims.values()
    (term,) = pod.constraints.node_terms or ()
    (avoided,) = pod.constraints.anti_affinity

    assert pod.node == node.name
    assert term.matches(node.labels, node.name)
    assert avoided.selector is not None
    assert avoided.selector.matches(pod.labels)
    assert avoided.namespaces == {pod.namespace}
    assert avoided.topology_key in node.labels
    assert (pod.constraints.tolerations[0].key, pod.constraints.tolerations[0].value) == (
        node.taints[0].key,
        node.taints[0].value,
    )
    assert (pod.claims, pod.namespace) == ((claim.name,), claim.namespace)
    assert f"attachable-volumes-csi-{cluster.volumes[claim.volume or ''].driver}" in node.allocatable.amounts
    assert cluster.storage_classes.keys() == {claim.storage_class}
    assert attachments(pod, cluster) == {
        Attachment(pod.disks[0].driver, cluster.volumes[claim.volume or ""].handle),
        *pod.disks,
    }
    assert list(attached(cluster)) == [
        (node.name, Attachment(pod.disks[0].driver, cluster.volumes[claim.volume or ""].handle))
    ]
    assert limit(node, pod.disks[0].driver, cluster) == 5
    assert cluster.csi_nodes[node.name].attachable == {pod.disks[0].driver: 7}
    assert cluster.csi_nodes[node.name].drivers == cluster.csi_drivers.keys() == {pod.disks[0].driver}
    assert cluster.namespace_labels.keys() == {pod.namespace}
    assert mask(secretive(), salt="s").use["cpu"].keys() == {pod.uid}


def test_words_of_kubernetes_numbers_and_ordinals_stay() -> None:
    masked = mask(secretive(), salt="s")
    pod, (node,) = only(masked.cluster.pods), masked.cluster.nodes.values()

    assert pod.name.endswith("-0")
    assert "topology.kubernetes.io/zone" in node.labels
    assert "7" in node.labels.values()
    assert list(node.annotations) == ["karpenter.sh/do-not-disrupt"]
    assert (node.allocatable["cpu"], pod.requests, pod.scheduler_name) == (
        4000,
        make_pod().requests,
        "bayplan-scheduler",
    )


def test_another_salt_gives_other_names() -> None:
    first, second = (only(mask(secretive(), salt=salt).cluster.pods).name for salt in ("a", "b"))

    assert first != second
    assert first == only(mask(secretive(), salt="a").cluster.pods).name


@given(strategies.clusters())
def test_any_cluster_keeps_its_shape(cluster: Cluster) -> None:
    masked = mask(Snapshot(cluster=cluster), salt="s").cluster

    assert len(masked.pods) == len(cluster.pods)
    assert [pod.requests["cpu"] for pod in masked.pods.values()] == [
        pod.requests["cpu"] for pod in cluster.pods.values()
    ]
    assert sum(pod.node in masked.nodes for pod in masked.pods.values()) == sum(
        pod.node in cluster.nodes for pod in cluster.pods.values()
    )
    assert replace(masked, pods={}, nodes={}, workloads={}, workload_of={}).now == cluster.now
