"""A snapshot without its names: the same cluster for every decision, told by nobody whose it is.

Every text is replaced by a token made of a salt and the text, so that equal names stay equal wherever they stand
(a label and the selector that looks for it, a node and the term that names it) and another salt gives other tokens.
Kept are words of Kubernetes itself, numbers, and a trailing ordinal; annotations that no rail reads, evidence and free
text are dropped.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from policies.feasibility.node_state import REMOVAL_TAINTS
from policies.rails.vetoes import KEYS
from policies.values.volumes import ATTACHMENTS
from sources.snapshots.snapshot import ADAPTER, Snapshot, document, snapshot_of

# Members whose texts are words of Kubernetes or of ours, never names.
_VERBATIM: Final = frozenset(
    {"phase", "operator", "effect", "protocol", "state", "landing", "confidence", "contested", "access_modes"}
)
_KINDS: Final = frozenset(
    {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController", "Node"}
)
_PROSE: Final = frozenset({"reason", "answer", "rollout", "writer", "policy_hash", "rule"})
_DROPPED: Final = frozenset({"evidence", "before", "after"})
_RESOURCES: Final = frozenset({"cpu", "memory", "pods", "ephemeral-storage"})
_WORDS: Final = frozenset(
    {
        "",
        "true",
        "false",
        "metadata.name",
        "bayplan-scheduler",
        "default-scheduler",
        "default",
        "kube-system",
        "kube-public",
        "kube-node-lease",
        "bayplan-system",
        "monitoring",
        "system-cluster-critical",
        "system-node-critical",
        "0.0.0.0",  # noqa: S104  # a host port's word for "all addresses"
        "::",
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "kubernetes.io/metadata.name",
        "node.kubernetes.io/instance-type",
        "node-role.kubernetes.io/control-plane",
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
        "node.kubernetes.io/unschedulable",
        "pod-template-hash",
        "controller-revision-hash",
        "statefulset.kubernetes.io/pod-name",
        "apps.kubernetes.io/pod-index",
        *REMOVAL_TAINTS,
        *KEYS,
    }
)
_BELOW: Final = {
    "labels": "labels",
    "namespace_labels": "labels",
    "workload_of": "ref",
    "attachable": "attachable",
}
_NUMBER: Final = re.compile(r"[+-]?\d+")
_ORDINAL: Final = re.compile(r"(.+)(-\d{1,4})")
_PARTS: Final = re.compile(r"([/+])")


def mask(snapshot: Snapshot, *, salt: str) -> Snapshot:
    """Return the snapshot without a name that was in it."""
    plain = ADAPTER.dump_python(document(snapshot), mode="json")
    masked = {key: _Mask(salt).value(value, member=key) for key, value in plain.items() if key != "kind"}
    return snapshot_of(ADAPTER.validate_python({"kind": "Snapshot", **masked}))


class _Mask:
    def __init__(self, salt: str) -> None:
        self._salt = salt.encode()
        self._known: dict[str, str] = {}

    def value(self, value: Any, *, member: str) -> Any:  # noqa: ANN401  # any part of a JSON document
        """Return a value without names; `member` is what the document calls it."""
        if isinstance(value, str):
            return self._text_of(value, member)
        if isinstance(value, list):
            return [self.value(one, member=member) for one in value]
        if isinstance(value, dict):
            return self._object(value, member)
        return value

    def _object(self, value: Mapping[str, Any], member: str) -> dict[str, Any]:
        match member:
            case "annotations":
                return {key: "" for key in value if key in _WORDS}
            case "amounts":
                return {self.resource(key): amount for key, amount in value.items()}
            case "scores" | "assumed":  # by the policy's names of resources
                return dict(value)
            case "absent" | "unreadable":
                return dict.fromkeys(value, "masked")
            case "use":
                return {key: {self.text(uid): use for uid, use in pods.items()} for key, pods in value.items()}
        return {} if member in _DROPPED else self._members(value, member)

    def _members(self, value: Mapping[str, Any], member: str) -> dict[str, Any]:
        named = member in _BELOW  # such an object has names for keys
        return {
            self.text(key) if named else key: self.value(one, member=_BELOW.get(member, key))
            for key, one in value.items()
        }

    def _text_of(self, value: str, member: str) -> str:
        if member in _VERBATIM or (member == "kind" and value in _KINDS):
            return value
        if member in _PROSE:
            return "masked" if value else ""
        return self.text(value)

    def resource(self, name: str) -> str:
        """Return a resource's name without whose it is; its prefix tells attachments from other resources."""
        if name in _RESOURCES or name.startswith("hugepages-"):
            return name
        if name.startswith(ATTACHMENTS):
            return f"{ATTACHMENTS}{self.text(name.removeprefix(ATTACHMENTS))}"
        return f"masked.invalid/{self._token(name)}"

    def text(self, text: str) -> str:
        """Return a text without names, part by part, so that made-up keys still fit the parts they are made of."""
        if text in _WORDS or _NUMBER.fullmatch(text):
            return text
        return "".join(part if _PARTS.fullmatch(part) else self._name(part) for part in _PARTS.split(text))

    def _name(self, part: str) -> str:
        numbered = _ORDINAL.fullmatch(part)
        if part in _WORDS or _NUMBER.fullmatch(part):
            return part
        return f"{self._token(numbered[1])}{numbered[2]}" if numbered else self._token(part)

    def _token(self, text: str) -> str:
        """Return what stands for a text: short, fit for a name of any object."""
        if text not in self._known:
            digest = hashlib.blake2b(text.encode(), key=self._salt[:64], digest_size=8).hexdigest()
            self._known[text] = f"m{digest}"
        return self._known[text]
