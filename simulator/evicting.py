"""The eviction subresource: PDB accounting and answers in the order of the API server; decides nothing of its own.

Order and texts are those of kube-apiserver 1.37.2, asked for each case.
"""

from dataclasses import replace

from simulator.failures import Cause, Failure, bad_request
from simulator.jsons import Raw, timestamp
from simulator.kinds import KINDS
from simulator.selecting import selector_of
from simulator.store import Key, key_of
from simulator.writing import ENDED, PODS, DeleteOptions, Writer, with_condition

PDBS = next(kind for kind in KINDS if kind.plural == "poddisruptionbudgets")
_LARGEST_DISRUPTED = 2000  # MaxDisruptedPodSize
TWO_PDBS = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."


def evict(writer: Writer, key: Key, body: Raw, query: dict[str, str]) -> Raw:
    """Evict a pod and return the Status object of success, which a terminating pod gets once more."""
    name = (body.get("metadata") or {}).get("name")
    if name != key[1]:
        raise bad_request(f"name in URL ({key[1]}) does not match name in Eviction object ({name})")
    options = DeleteOptions.of(body.get("deleteOptions"), query)
    pod = writer.require(PODS, key)
    if not _ignores_pdbs(pod):
        pdbs = matching_pdbs(writer, pod)
        if len(pdbs) > 1:
            raise Failure(500, "", TWO_PDBS)
        if pdbs and not _unhealthy_and_free(pod, pdbs[0]):
            _take(writer, pdbs[0], key[1], dry_run=options.dry_run)
    # the precondition is checked only now: a wrong UID has cost a disruption
    writer.check_preconditions(PODS, pod, options)
    if not options.dry_run:
        _condemn(writer, pod)
        writer.delete(PODS, key, replace(options, resource_version=None))
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def is_ready(pod: Raw) -> bool:
    """Whether the Ready condition is True."""
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(entry["type"] == "Ready" and entry["status"] == "True" for entry in conditions)


def matching_pdbs(writer: Writer, pod: Raw) -> list[Raw]:
    """Return the PDBs of the pod's namespace that select it."""
    labels = pod["metadata"].get("labels") or {}
    found = []
    for pdb in writer.store.all(PDBS, pod["metadata"]["namespace"]):
        selector = selector_of(pdb["spec"].get("selector"))
        if selector is not None and selector.matches(labels):
            found.append(pdb)
    return found


def _ignores_pdbs(pod: Raw) -> bool:
    phase = (pod.get("status") or {}).get("phase")
    return phase in {*ENDED, "Pending"} or "deletionTimestamp" in pod["metadata"]


def _unhealthy_and_free(pod: Raw, pdb: Raw) -> bool:
    if is_ready(pod):
        return False
    status = pdb.get("status") or {}
    wanted = status.get("desiredHealthy", 0)
    always = bool(pdb["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow")
    return always or bool(status.get("currentHealthy", 0) >= wanted > 0)


def _take(writer: Writer, pdb: Raw, pod: str, *, dry_run: bool) -> None:
    """Count one disruption on the PDB, or fail as it says."""
    status, name = pdb.get("status") or {}, pdb["metadata"]["name"]
    allowed = status.get("disruptionsAllowed", 0)
    if status.get("observedGeneration", 0) < pdb["metadata"].get("generation", 0):
        raise _no(429, f"The disruption budget {name} is still being processed by the server.", retry_after=10)
    if allowed < 0 or len(status.get("disruptedPods") or {}) > _LARGEST_DISRUPTED:
        raise _no(403, f"The disruption budget {name} does not allow evicting pods currently")
    if allowed == 0:
        wanted, seen = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
        raise _no(429, f"The disruption budget {name} needs {wanted} healthy pods and has {seen} currently")
    if not dry_run:
        disrupted = (status.get("disruptedPods") or {}) | {pod: timestamp(writer.clock.now())}
        taken = status | {"disruptionsAllowed": allowed - 1, "disruptedPods": disrupted}
        writer.store.replace(PDBS, pdb | {"status": taken})


def _no(status: int, why: str, *, retry_after: int = 0) -> Failure:
    reason = "TooManyRequests" if status == 429 else "Forbidden"  # noqa: PLR2004  # HTTP's own number
    return Failure(status, reason, REFUSED, (Cause("DisruptionBudget", why),), retry_after)


def _condemn(writer: Writer, pod: Raw) -> None:
    current = writer.require(PODS, key_of(pod))
    reason = {"reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting"}
    at = writer.clock.now()
    status = with_condition(current.get("status") or {}, "DisruptionTarget", "True", at=at, **reason)
    writer.store.replace(PODS, current | {"status": status})
