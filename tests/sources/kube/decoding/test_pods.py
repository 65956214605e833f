"""Pods as the API sends them become pods as decisions see them."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.values.pods import UNCONSTRAINED, Owner, Phase
from policies.values.resources import CPU, MEMORY, PODS
from policies.values.volumes import Attachment
from sources.kube.decoding.pods import decode_lean_pod, decode_pod
from sources.kube.decoding.tolerant import MalformedObject, tolerant
from tests.builders import GIB, NOW, make_pod
from tests.encoding import pod_json
from tests.sources.kube.raw import raw_pod

HOUR = 3600.0


def test_running_pod_is_read_whole() -> None:
    pod = decode_pod(raw_pod())

    assert (pod.namespace, pod.name, pod.uid, pod.node) == ("shop", "web-0", "uid-web-0", "n1")
    assert pod.owner == Owner("ReplicaSet", "web-rs", "uid-rs")
    assert (pod.phase, pod.ready, pod.priority, pod.priority_class) == (Phase.RUNNING, True, 5, "normal")
    assert pod.scheduler_name == "bayplan-scheduler"
    assert pod.grace_seconds == 20.0
    assert pod.requests.amounts == {CPU: 500, MEMORY: GIB, PODS: 1}


def test_times_are_unix_seconds_of_what_happened() -> None:
    pod = decode_pod(raw_pod())

    began = NOW - HOUR
    assert (pod.created_at, pod.bound_at, pod.started_at, pod.ready_since) == (began, began + 1, began + 2, began + 3)
    assert pod.unschedulable_since is None


@pytest.mark.parametrize("lean", [False, True])
def test_a_node_whose_clock_is_behind_makes_no_pod_older_than_it_can_be(lean: bool) -> None:  # noqa: FBT001  # two rows
    raw = pod_json(make_pod(created_at=NOW - 60, bound_at=NOW - 59, started_at=NOW - 359, ready_since=NOW - 350))

    pod = (decode_lean_pod if lean else decode_pod)(raw)

    assert (pod.started_at, pod.ready_since) == (NOW - 59, NOW - 59)


def test_pending_pod_has_no_times_of_what_has_not_happened() -> None:
    waiting = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    conditions = [waiting | {"lastTransitionTime": "2027-01-15T07:30:00Z"}]

    pod = decode_pod(raw_pod(spec__nodeName=None, status={"phase": "Pending", "conditions": conditions}))

    assert (pod.node, pod.bound_at, pod.started_at, pod.ready_since, pod.ready) == (None, None, None, None, False)
    assert pod.unschedulable_since == NOW - HOUR / 2


def test_gated_pod_does_not_wait_for_the_scheduler() -> None:
    gated = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated", "lastTransitionTime": "x"}

    pod = decode_pod(
        raw_pod(spec__nodeName=None, spec__schedulingGates=[{"name": "g"}], status={"conditions": [gated]})
    )

    assert pod.gated
    assert pod.unschedulable_since is None


def test_pod_without_any_status_is_pending() -> None:
    pod = decode_pod(raw_pod(status=None, spec__nodeName=None, spec__terminationGracePeriodSeconds=None))

    assert pod.phase is Phase.PENDING
    assert pod.grace_seconds == 30.0


def test_terminating_pod_has_the_grace_it_was_given() -> None:
    pod = decode_pod(
        raw_pod(metadata__deletionTimestamp="2027-01-15T08:00:00Z", metadata__deletionGracePeriodSeconds=0)
    )

    assert pod.terminating
    assert pod.grace_seconds == 0.0


@pytest.mark.parametrize(
    "changes",
    [
        {"metadata__annotations": {"kubernetes.io/config.mirror": "abc"}},
        {"metadata__annotations": {"kubernetes.io/config.source": "file"}},
        {"metadata__ownerReferences": [{"kind": "Node", "name": "n1", "uid": "u", "controller": True}]},
    ],
    ids=["mirror", "from a file", "owned by a node"],
)
def test_static_pod_is_known(changes: dict[str, Any]) -> None:
    assert decode_pod(raw_pod(**changes)).static


def test_pod_from_the_api_is_not_static() -> None:
    assert not decode_pod(raw_pod(metadata__annotations={"kubernetes.io/config.source": "api"})).static


def test_owner_that_does_not_control_is_no_controller() -> None:
    assert decode_pod(raw_pod(metadata__ownerReferences=[{"kind": "Foo", "name": "f", "uid": "u"}])).owner is None


def test_volumes_tell_local_storage_from_claims() -> None:
    volumes = [
        {"name": "scratch", "emptyDir": {}},
        {"name": "logs", "hostPath": {"path": "/var/log"}},
        {"name": "data", "persistentVolumeClaim": {"claimName": "data-web-0"}},
        {"name": "temp", "ephemeral": {"volumeClaimTemplate": {}}},
        {"name": "settings", "configMap": {"name": "c"}},
    ]

    pod = decode_pod(raw_pod(spec__volumes=volumes))

    assert pod.local_storage == ("scratch", "logs")
    assert pod.claims == ("data-web-0", "web-0-temp")


def test_disk_that_a_driver_attaches_without_a_claim() -> None:
    volumes = [
        {"name": "disk", "gcePersistentDisk": {"pdName": "disk-1"}},
        {"name": "secrets", "csi": {"driver": "secrets.example.invalid"}},  # mounted, not attached
    ]

    assert decode_pod(raw_pod(spec__volumes=volumes)).disks == (Attachment("pd.csi.storage.gke.io", "disk-1"),)


def test_copy_of_the_applied_object_is_not_kept() -> None:
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": "{...}", "bayplan.dev/veto": "true"}

    assert decode_pod(raw_pod(metadata__annotations=annotations)).annotations == {"bayplan.dev/veto": "true"}


def test_pods_of_one_template_share_what_is_equal() -> None:
    one, other = decode_pod(raw_pod("web-0")), decode_pod(raw_pod("web-1"))

    assert one.labels is other.labels
    assert one.requests is other.requests
    assert one.constraints is other.constraints
    assert one.owner is other.owner


def test_lean_pod_differs_only_in_what_the_extender_never_reads() -> None:
    raw = raw_pod(metadata__annotations={"a": "b"}, spec__nodeSelector={"disk": "ssd"})
    lean, whole = decode_lean_pod(raw), decode_pod(raw)

    assert not lean.annotations
    assert not lean.constraints.node_selector
    for name in ("uid", "labels", "owner", "node", "phase", "bound_at", "requests", "priority", "scheduler_name"):
        assert getattr(lean, name) == getattr(whole, name)


def test_lean_pod_keeps_what_keeps_others_away() -> None:
    anti = {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "h", "labelSelector": {}}]}
    ports = [{"name": "c", "ports": [{"containerPort": 80, "hostPort": 80}]}]
    raw = raw_pod(spec__affinity={"podAntiAffinity": anti}, spec__containers=ports)
    lean, whole = decode_lean_pod(raw).constraints, decode_pod(raw).constraints

    assert lean.anti_affinity == whole.anti_affinity != ()
    assert lean.host_ports == whole.host_ports != ()
    assert decode_lean_pod(raw_pod(spec__affinity={"podAffinity": {}})).constraints is UNCONSTRAINED


def test_what_was_said_of_a_failed_attempt_is_kept() -> None:
    refused = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes"}

    assert decode_lean_pod(raw_pod(status__conditions=[refused])).unscheduled == "Unschedulable: 0/3 nodes"
    assert decode_lean_pod(raw_pod(status__conditions=[refused | {"status": "True"}])).unscheduled == ""


def _paths(raw: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = raw.items() if isinstance(raw, dict) else enumerate(raw) if isinstance(raw, list) else ()
    return [*([at] if at else []), *(path for key, value in inner for path in _paths(value, (*at, key)))]


_PATHS = _paths(
    raw_pod(
        spec__affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "h"}]}},
        spec__topologySpreadConstraints=[{"topologyKey": "z", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}],
        spec__volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],
        spec__tolerations=[{"key": "k", "operator": "Exists"}],
    )
)
_odd_values = st.sampled_from(
    [None, "", "x", -1, 2**70, 1.5, True, [], {}, [None], {"a": None}, "2027-13-01T00:00:00Z", float("inf")]
)


@given(st.sampled_from(_PATHS), _odd_values, st.booleans())
def test_malformed_pod_raises_nothing_else(path: tuple[Any, ...], odd: Any, lean: bool) -> None:  # noqa: FBT001
    raw = raw_pod(
        spec__affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "h"}]}},
        spec__topologySpreadConstraints=[{"topologyKey": "z", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}],
        spec__volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],
        spec__tolerations=[{"key": "k", "operator": "Exists"}],
    )
    at: Any = raw
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = odd

    with suppress(MalformedObject):  # any other exception fails the test
        pod = tolerant(decode_lean_pod if lean else decode_pod, raw)
        assert all(0 <= amount < 2**66 for amount in pod.requests.amounts.values())


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("text", "an object without metadata: TypeError"),
        (raw_pod(spec__containers=[{"resources": {"requests": {"cpu": "lots"}}}]), "shop/web-0: QuantityError: 'lots'"),
        (raw_pod(metadata__namespace=None, spec=None), "web-0: KeyError: 'spec'"),
    ],
    ids=["no object", "quantity", "spec missing"],
)
def test_message_names_object_and_fault(raw: object, text: str) -> None:
    with pytest.raises(MalformedObject, match=text):
        tolerant(decode_pod, raw)
