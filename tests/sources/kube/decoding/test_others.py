"""Nodes, PDBs, claims, volumes, storage classes, CSI nodes, amounts and times."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.values.nodes import Taint
from policies.values.quantities import QuantityError, milli, whole
from policies.values.resources import CPU, MEMORY, PODS
from policies.values.selectors import LabelSelector, NodeSelectorTerm, Operator, Requirement
from sources.kube.decoding.amounts import amount, resources
from sources.kube.decoding.nodes import decode_node
from sources.kube.decoding.pdbs import decode_pdb
from sources.kube.decoding.selectors import label_selector
from sources.kube.decoding.sharing import Shared
from sources.kube.decoding.times import rfc3339, unix_seconds, unix_seconds_or_none
from sources.kube.decoding.volumes import (
    decode_claim,
    decode_csi_driver,
    decode_csi_node,
    decode_storage_class,
    decode_volume,
    decode_volume_attachment,
)
from tests.builders import GIB, NOW
from tests.sources.kube.raw import raw_node


def test_ready_node_is_read_whole() -> None:
    node = decode_node(raw_node(spec__taints=[{"key": "k", "effect": "NoSchedule"}], spec__unschedulable=True))

    assert (node.name, node.uid, node.created_at) == ("n1", "uid-n1", NOW)
    assert node.addresses == ("10.0.0.5", "n1")
    assert node.taints == (Taint("k", "", "NoSchedule"),)
    assert node.allocatable.amounts == {CPU: 4000, MEMORY: 8 * GIB, PODS: 110}
    assert (node.ready, node.cordoned, node.terminating) == (True, True, False)


@pytest.mark.parametrize("status", ["False", "Unknown"])
def test_node_whose_state_is_not_known_is_not_ready(status: str) -> None:
    assert not decode_node(raw_node(status__conditions=[{"type": "Ready", "status": status}])).ready
    assert not decode_node(raw_node(status=None)).ready


def raw_pdb(**status: Any) -> dict[str, Any]:
    return {
        "metadata": {"namespace": "shop", "name": "web", "generation": 3},
        "spec": {"selector": {"matchLabels": {"app": "web"}}},
        "status": {"observedGeneration": 3, "disruptionsAllowed": 1, "currentHealthy": 3, "desiredHealthy": 2} | status,
    }


def test_pdb_with_the_controllers_last_word() -> None:
    pdb = decode_pdb(raw_pdb())

    assert (pdb.disruptions_allowed, pdb.healthy, pdb.desired_healthy) == (1, 3, 2)
    assert pdb.selector == LabelSelector((Requirement("app", Operator.IN, ("web",)),))
    assert not pdb.always_allows_unhealthy


def test_pdb_whose_status_is_of_an_older_generation_is_unknown() -> None:
    assert decode_pdb(raw_pdb(observedGeneration=2)).disruptions_allowed is None
    assert decode_pdb(raw_pdb() | {"status": {}}).disruptions_allowed is None


def test_pdb_may_always_allow_unhealthy_pods_and_select_nothing() -> None:
    pdb = decode_pdb(raw_pdb() | {"spec": {"unhealthyPodEvictionPolicy": "AlwaysAllow"}})

    assert pdb.always_allows_unhealthy
    assert pdb.selector is None


def test_selector_with_an_operator_we_do_not_know_is_malformed() -> None:
    with pytest.raises(ValueError, match="Near"):
        label_selector({"matchExpressions": [{"key": "a", "operator": "Near", "values": ["b"]}]})


def test_claim() -> None:
    spec = {"volumeName": "pv1", "storageClassName": "fast", "accessModes": ["ReadWriteOnce"]}

    claim = decode_claim({"metadata": {"namespace": "shop", "name": "data"}, "spec": spec})
    unbound = decode_claim({"metadata": {"namespace": "shop", "name": "data"}})

    assert (claim.volume, claim.storage_class, claim.access_modes) == ("pv1", "fast", frozenset({"ReadWriteOnce"}))
    assert (unbound.volume, unbound.storage_class) == (None, None)


def volume(spec: dict[str, Any]) -> Any:
    return decode_volume({"metadata": {"name": "pv1"}, "spec": spec})


def terms(key: str, *values: str, under: str = "matchExpressions") -> dict[str, Any]:
    return {"required": {"nodeSelectorTerms": [{under: [{"key": key, "operator": "In", "values": list(values)}]}]}}


@pytest.mark.parametrize(
    ("spec", "local"),
    [
        ({"csi": {"driver": "d"}}, False),
        ({"local": {"path": "/d"}}, True),
        ({"hostPath": {"path": "/d"}}, True),
        ({"csi": {"driver": "d"}, "nodeAffinity": terms("kubernetes.io/hostname", "n1")}, True),
        ({"csi": {"driver": "d"}, "nodeAffinity": terms("kubernetes.io/hostname", "n1", "n2")}, False),
        ({"csi": {"driver": "d"}, "nodeAffinity": terms("metadata.name", "n1", under="matchFields")}, True),
        ({"csi": {"driver": "d"}, "nodeAffinity": terms("topology.kubernetes.io/zone", "a")}, False),
    ],
)
def test_volume_that_one_node_alone_reaches_is_local(spec: dict[str, Any], *, local: bool) -> None:
    assert volume(spec).local is local


def test_volume_names_driver_and_zone() -> None:
    found = volume({"csi": {"driver": "d"}, "nodeAffinity": terms("zone", "a")})

    assert found.driver == "d"
    assert found.node_terms == (NodeSelectorTerm((Requirement("zone", Operator.IN, ("a",)),)),)
    assert volume({}).node_terms is None


def test_storage_class() -> None:
    zone = {"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}
    raw = {"metadata": {"name": "fast"}, "volumeBindingMode": "WaitForFirstConsumer", "allowedTopologies": [zone]}

    found = decode_storage_class(raw)

    assert found.waits_for_first_consumer
    assert found.allowed_topologies == (NodeSelectorTerm((Requirement("zone", Operator.IN, ("a", "b")),)),)
    assert decode_storage_class({"metadata": {"name": "slow"}}).allowed_topologies is None


@given(st.integers(0, 10**7), st.sampled_from(["", "m", "k", "M", "Gi", "Ti", "e3"]))
def test_amounts_are_exact_and_remembered(number: int, suffix: str) -> None:
    text = f"{number}{suffix}"

    assert amount(CPU, text) == min(2**63 - 1, milli(text))
    assert amount("example.com/gpu", text) == min(2**63 - 1, whole(text))


def test_amounts_of_nothing_are_left_out_and_huge_ones_end_at_the_apis_limit() -> None:
    assert resources({"cpu": "0", "memory": "1e30"}).amounts == {MEMORY: 2**63 - 1}
    assert resources(None).amounts == {}
    with pytest.raises(QuantityError):
        resources({"cpu": "much"})


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2027-01-15T08:00:00Z", NOW),
        ("2027-01-15T08:00:00.5Z", NOW + 0.5),
        ("2027-01-15T08:00:00.123456789Z", NOW + 0.123456),
        ("2027-01-15T10:00:00+02:00", NOW),
        ("2027-01-15T08:00:00", NOW),
    ],
)
def test_times_become_unix_seconds(text: str, seconds: float) -> None:
    assert unix_seconds(text) == pytest.approx(seconds, abs=1e-6)


@given(st.integers(0, 4 * 10**15).map(lambda micros: micros / 10**6))
def test_times_survive_the_way_through_the_cluster(seconds: float) -> None:
    assert unix_seconds(rfc3339(seconds)) == pytest.approx(seconds, abs=2e-6)


def test_no_time_is_none() -> None:
    assert unix_seconds_or_none(None) is None
    assert unix_seconds_or_none("") is None


def test_shared_parts_start_anew_when_there_are_too_many() -> None:
    shared = Shared(list[int], limit=2)

    first = shared.of([1])
    assert shared.of([1]) is first
    shared.of([2])
    shared.of([3])

    assert shared.of([1]) is not first


def csi_node(*drivers: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"name": "n1"}, "spec": {"drivers": list(drivers)}}


def test_csi_node_says_how_many_volumes_each_driver_attaches() -> None:
    node = decode_csi_node(
        csi_node(
            {"name": "fast", "nodeID": "i-1", "allocatable": {"count": 25}},
            {"name": "full", "nodeID": "i-1", "allocatable": {"count": 0}},
        )
    )

    assert (node.name, node.attachable, node.drivers) == ("n1", {"fast": 25, "full": 0}, frozenset({"fast", "full"}))


@pytest.mark.parametrize("driver", [{}, {"allocatable": None}, {"allocatable": {}}, {"allocatable": {"count": None}}])
def test_csi_driver_without_a_number_says_nothing(driver: dict[str, Any]) -> None:
    node = decode_csi_node(csi_node({"name": "fast", "nodeID": "i-1", **driver}))

    assert (node.attachable, node.drivers) == ({}, frozenset({"fast"}))


def test_csi_node_without_drivers_says_nothing() -> None:
    assert decode_csi_node({"metadata": {"name": "n1"}}).attachable == {}
    assert decode_csi_node({"metadata": {"name": "n1"}, "spec": {"drivers": None}}).attachable == {}


@pytest.mark.parametrize(
    ("spec", "needed"),
    [
        ({"preventPodSchedulingIfMissing": True}, True),
        ({"preventPodSchedulingIfMissing": False}, False),
        ({"attachRequired": True}, False),
        (None, False),
    ],
)
def test_csi_driver_is_needed_where_it_says_so(spec: dict[str, Any] | None, needed: object) -> None:
    driver = decode_csi_driver({"metadata": {"name": "fast"}, "spec": spec})

    assert (driver.name, driver.needed) == ("fast", needed)


@pytest.mark.parametrize(
    ("spec", "attached"),
    [
        ({"csi": {"driver": "d", "volumeHandle": "v"}}, ("d", "v")),
        ({"csi": {"driver": "d"}}, ("d", "")),
        ({"awsElasticBlockStore": {"volumeID": "vol-1"}}, ("ebs.csi.aws.com", "vol-1")),
        ({"gcePersistentDisk": {"pdName": "disk"}}, ("pd.csi.storage.gke.io", "disk")),
        ({"azureDisk": {"diskName": "disk", "diskURI": "/disk"}}, ("disk.csi.azure.com", "/disk")),
        ({"cinder": {"volumeID": "v"}}, ("cinder.csi.openstack.org", "v")),
        ({"portworxVolume": {"volumeID": "v"}}, ("pxd.portworx.com", "v")),
        # Migrated too, but kube-scheduler does not limit their number.
        ({"vsphereVolume": {"volumePath": "p"}}, (None, "")),
        ({"nfs": {"server": "s", "path": "/"}}, (None, "")),
    ],
)
def test_volume_is_attached_by_its_driver_or_the_one_it_was_migrated_to(
    spec: dict[str, Any], attached: tuple[str | None, str]
) -> None:
    assert (volume(spec).driver, volume(spec).handle) == attached


@pytest.mark.parametrize(
    ("provisioner", "driver"),
    [("fast.example.invalid", "fast.example.invalid"), ("kubernetes.io/gce-pd", "pd.csi.storage.gke.io"), ("", None)],
)
def test_storage_class_names_its_driver(provisioner: str, driver: str | None) -> None:
    assert decode_storage_class({"metadata": {"name": "c"}, "provisioner": provisioner}).driver == driver


def test_volume_attachment_says_what_is_attached_where() -> None:
    source = {"persistentVolumeName": "pv1"}
    raw = {"metadata": {"name": "va"}, "spec": {"attacher": "fast", "nodeName": "n1", "source": source}}

    found = decode_volume_attachment(raw)

    assert (found.name, found.node, found.driver, found.volume) == ("va", "n1", "fast", "pv1")


def test_volume_attachment_of_a_pods_own_volume_names_none() -> None:
    raw = {"metadata": {"name": "va"}, "spec": {"attacher": "d", "nodeName": "n1", "source": {"inlineVolumeSpec": {}}}}

    assert decode_volume_attachment(raw).volume == ""
