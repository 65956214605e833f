"""Deployments: one ReplicaSet a template, the old ones going down as the new one gets ready."""

import hashlib

import orjson

from simulator.controllers.owning import concerned, kind_named, owned, reference_to
from simulator.controllers.replica_sets import REPLICA_SETS
from simulator.jsons import Raw
from simulator.store import Change, key_of
from simulator.writing import Writer

DEPLOYMENTS = kind_named("deployments")
_HASH = "pod-template-hash"


class Deployments:
    """Rolls a Deployment out: surge to the full number, then old pods leave one for each new ready one."""

    def react(self, change: Change, writer: Writer) -> None:
        """Bring the Deployment concerned forward."""
        current = concerned(writer.store, DEPLOYMENTS, change, makes=REPLICA_SETS)
        if current is not None:
            self._bring(current, writer)

    def _bring(self, deployment: Raw, writer: Writer) -> None:
        sets = owned(writer.store, REPLICA_SETS, deployment)
        wanted = deployment["spec"].get("replicas", 1)
        template = deployment["spec"]["template"]
        new = next((entry for entry in sets if _bare(entry["spec"]["template"]) == _bare(template)), None)
        new = self._scaled(new, wanted, writer) if new is not None else self._made(deployment, writer)
        left = wanted - (new.get("status") or {}).get("readyReplicas", 0)
        for old in sets:
            if old["metadata"]["uid"] != new["metadata"]["uid"]:
                left = max(min(left, old["spec"].get("replicas", 1)), 0)
                self._scaled(old, left, writer)
        self._count(deployment, new, writer)

    def _made(self, deployment: Raw, writer: Writer) -> Raw:
        template = deployment["spec"]["template"]
        digest = hashlib.sha256(orjson.dumps(template, option=orjson.OPT_SORT_KEYS)).hexdigest()[:8]
        labels = (template["metadata"].get("labels") or {}) | {_HASH: digest}
        spec = {
            "replicas": deployment["spec"].get("replicas", 1),
            "selector": {"matchLabels": labels},
            "template": template | {"metadata": template["metadata"] | {"labels": labels}},
        }
        meta = {"name": f"{deployment['metadata']['name']}-{digest}", "labels": labels}
        raw = {"metadata": meta | {"ownerReferences": [reference_to(deployment)]}, "spec": spec}
        return writer.create(REPLICA_SETS, raw, namespace=deployment["metadata"]["namespace"])

    def _scaled(self, replica_set: Raw, wanted: int, writer: Writer) -> Raw:
        if replica_set["spec"].get("replicas", 1) == wanted:
            return replica_set
        patch = {"spec": {"replicas": wanted}}
        return writer.patch(REPLICA_SETS, key_of(replica_set), patch)

    def _count(self, deployment: Raw, new: Raw, writer: Writer) -> None:
        sets = owned(writer.store, REPLICA_SETS, deployment)
        status: Raw = {
            name: sum((entry.get("status") or {}).get(name, 0) for entry in sets)
            for name in ("replicas", "readyReplicas", "availableReplicas")
        }
        new = writer.require(REPLICA_SETS, key_of(new))
        status["updatedReplicas"] = (new.get("status") or {}).get("replicas", 0)
        status["observedGeneration"] = deployment["metadata"].get("generation", 1)
        writer.store.replace(DEPLOYMENTS, deployment | {"status": status})


def _bare(template: Raw) -> Raw:
    """Return a template without the label by which its ReplicaSet tells its pods apart."""
    meta = template.get("metadata") or {}
    labels = {name: value for name, value in (meta.get("labels") or {}).items() if name != _HASH}
    return template | {"metadata": meta | {"labels": labels}}
