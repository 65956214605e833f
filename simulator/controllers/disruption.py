"""The disruption controller: recomputes the status of PDBs from their pods and the pods' owners."""

import math

from simulator.controllers.owning import controller_of, kind_named
from simulator.evicting import PDBS, is_ready
from simulator.jsons import Raw, seconds
from simulator.selecting import selector_of
from simulator.store import Change, Store
from simulator.writing import PODS, Writer

_FORGOTTEN_AFTER = 120.0  # DeletionTimeout: an eviction that was granted and never carried out
_SCALABLE = {kind.name: kind for kind in map(kind_named, ("deployments", "replicasets", "statefulsets"))}


class Disruption:
    """Keeps `disruptionsAllowed` of every PDB of a namespace up to date with each change of its pods."""

    def react(self, change: Change, writer: Writer) -> None:
        """Recompute the PDBs of the namespace in which something changed."""
        if change.kind in {PODS, PDBS, *_SCALABLE.values()}:
            for pdb in list(writer.store.all(PDBS, change.now["metadata"]["namespace"])):
                self._recompute(pdb, writer)

    def _recompute(self, pdb: Raw, writer: Writer) -> None:
        pods = _selected(pdb, writer.store)
        now = writer.clock.now()
        alive = {pod["metadata"]["name"]: pod for pod in pods if "deletionTimestamp" not in pod["metadata"]}
        old = (pdb.get("status") or {}).get("disruptedPods") or {}
        disrupted = {name: at for name, at in old.items() if name in alive and now - seconds(at) < _FORGOTTEN_AFTER}
        healthy = sum(is_ready(pod) for name, pod in alive.items() if name not in disrupted)
        expected, wanted = _expected(pdb["spec"], pods, writer.store)
        status = {
            "observedGeneration": pdb["metadata"].get("generation", 1),
            "currentHealthy": healthy,
            "desiredHealthy": wanted,
            "expectedPods": expected,
            "disruptionsAllowed": max(healthy - wanted, 0) if expected > 0 else 0,
        } | ({"disruptedPods": disrupted} if disrupted else {})
        writer.store.replace(PDBS, pdb | {"status": status})


def _selected(pdb: Raw, store: Store) -> list[Raw]:
    selector = selector_of(pdb["spec"].get("selector"))
    pods = store.all(PODS, pdb["metadata"]["namespace"])
    if selector is None:
        return []
    return [pod for pod in pods if selector.matches(pod["metadata"].get("labels") or {})]


def _expected(spec: Raw, pods: list[Raw], store: Store) -> tuple[int, int]:
    """Return how many pods there should be and how many of them must be healthy."""
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    if isinstance(least, int):
        return len(pods), least
    scale = _scale(pods, store)
    if least is not None:
        return scale, _share(least, scale)
    return scale, max(scale - (most if isinstance(most, int) else _share(most or 0, scale)), 0)


def _share(value: int | str, whole: int) -> int:
    return math.ceil(int(str(value).rstrip("%")) * whole / 100)


def _scale(pods: list[Raw], store: Store) -> int:
    """Return the replicas that all top owners of the pods want together."""
    owners: dict[str, int] = {}
    for pod in pods:
        owner = _scaled_by(pod, store)
        if owner is not None:
            owners[owner["metadata"]["uid"]] = owner["spec"].get("replicas", 1)
    return sum(owners.values())


def _scaled_by(raw: Raw, store: Store) -> Raw | None:
    reference = controller_of(raw)
    kind = _SCALABLE.get(reference["kind"]) if reference is not None else None
    if kind is None or reference is None:
        return None
    owner = store.get(kind, (raw["metadata"]["namespace"], reference["name"]))
    return (_scaled_by(owner, store) or owner) if owner is not None else None
