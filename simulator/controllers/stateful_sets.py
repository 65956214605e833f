"""StatefulSets: pods by ordinal, the same name again once the old one is gone, revisions and their rollout."""

import hashlib

import orjson

from simulator.controllers.owning import concerned, kind_named, owned, pod_from
from simulator.evicting import is_ready
from simulator.jsons import Raw
from simulator.store import Change, key_of
from simulator.writing import PODS, DeleteOptions, Writer

STATEFUL_SETS = kind_named("statefulsets")
REVISION = "controller-revision-hash"


class StatefulSets:
    """Keeps pods `name-0` … at their revision; remembers which template each revision is."""

    def __init__(self) -> None:
        self._templates: dict[tuple[str, str], Raw] = {}

    def react(self, change: Change, writer: Writer) -> None:
        """Bring the StatefulSet concerned forward."""
        current = concerned(writer.store, STATEFUL_SETS, change, makes=PODS)
        if current is not None:
            self._bring(current, writer)

    def _bring(self, owner: Raw, writer: Writer) -> None:
        update = self._revision(owner)
        status = owner.get("status") or {}
        current = status.get("currentRevision") or update
        split = ((owner["spec"].get("updateStrategy") or {}).get("rollingUpdate") or {}).get("partition", 0)
        wanted = owner["spec"].get("replicas", 1)
        namespace, name = key_of(owner)
        for ordinal in range(wanted):
            if writer.store.get(PODS, (namespace, f"{name}-{ordinal}")) is None:
                self._make(owner, ordinal, update if ordinal >= split else current, writer)
        pods = owned(writer.store, PODS, owner)
        self._trim(pods, wanted, writer)
        if current != update and len(pods) == wanted and all(is_ready(pod) for pod in pods):
            current = self._roll(pods, update, split, writer) or update
        self._count(owner, current, update, writer)

    def _revision(self, owner: Raw) -> str:
        """Return the revision of the present template; the first one seen is the one that the status names."""
        uid, template = owner["metadata"]["uid"], owner["spec"]["template"]
        named = (owner.get("status") or {}).get("updateRevision")
        if named and self._templates.setdefault((uid, named), template) == template:
            return str(named)
        digest = hashlib.sha256(orjson.dumps(template, option=orjson.OPT_SORT_KEYS)).hexdigest()[:8]
        revision = f"{owner['metadata']['name']}-{digest}"
        self._templates[uid, revision] = template
        return revision

    def _make(self, owner: Raw, ordinal: int, revision: str, writer: Writer) -> None:
        template = self._templates.get((owner["metadata"]["uid"], revision), owner["spec"]["template"])
        pod = pod_from(template, owner, name=f"{owner['metadata']['name']}-{ordinal}")
        pod["metadata"]["labels"] = (pod["metadata"].get("labels") or {}) | {REVISION: revision}
        writer.create(PODS, pod, namespace=owner["metadata"]["namespace"])

    def _trim(self, pods: list[Raw], wanted: int, writer: Writer) -> None:
        for pod in pods:
            if _ordinal(pod) >= wanted and "deletionTimestamp" not in pod["metadata"]:
                writer.delete(PODS, key_of(pod), DeleteOptions())

    def _roll(self, pods: list[Raw], update: str, split: int, writer: Writer) -> str | None:
        """Delete the highest pod of another revision; return its revision, None when all are updated."""
        for pod in sorted(pods, key=_ordinal, reverse=True):
            revision = (pod["metadata"].get("labels") or {}).get(REVISION)
            if revision != update and _ordinal(pod) >= split:
                writer.delete(PODS, key_of(pod), DeleteOptions())
                return str(revision)
        behind = [pod for pod in pods if pod["metadata"]["labels"].get(REVISION) != update]
        return str(behind[0]["metadata"]["labels"][REVISION]) if behind else None

    def _count(self, owner: Raw, current: str, update: str, writer: Writer) -> None:
        pods = owned(writer.store, PODS, owner)
        revisions = [(pod["metadata"].get("labels") or {}).get(REVISION) for pod in pods]
        ready = sum(map(is_ready, pods))
        status = {
            "observedGeneration": owner["metadata"].get("generation", 1),
            "replicas": len(pods),
            "readyReplicas": ready,
            "availableReplicas": ready,
            "currentReplicas": revisions.count(current),
            "updatedReplicas": revisions.count(update),
            "currentRevision": current,
            "updateRevision": update,
        }
        writer.store.replace(STATEFUL_SETS, owner | {"status": status})


def _ordinal(pod: Raw) -> int:
    return int(pod["metadata"]["name"].rpartition("-")[2])
