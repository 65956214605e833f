"""An active plan over a population, as its objects in the cluster: many nodes reserved, a few pods on their way.

Half of the entries place pods on nodes whose room they use up, so that other pods are refused there; the others move
pods of known workloads, and some are evicted.
"""

from typing import Any, Final

from bench import population
from bench.population import Population
from launching.paths import OWN
from policies.values.plans import Plan, PlanAction, PlanEntry, PlanPhase, PlanSlot, Quota
from policies.values.resources import Resources
from policies.values.workloads import WorkloadRef
from sources.kube.plans import encode_plan, encode_slot

_UID: Final = "bench-plan"
_PLACED: Final = 120
_MOVED: Final = 60
_EVICTED: Final = 20
ENTRIES: Final = _PLACED + _MOVED + _EVICTED
# A node of the population has 32 cores, 30 pods of half a core on it: no other pod fits beside this one.
_LARGE: Final = Resources({"cpu": 16_900, "memory": 2**30})
_ORDINARY: Final = Resources({"cpu": 500, "memory": 2**30})
_FIRST_MOVED: Final = 1_000
_STARTED: Final = "2026-01-01T00:00:00Z"


def active(sizes: Population) -> dict[str, Any]:
    """Return the plan and the slot, by the plural name of their kind."""
    moved = [_moved(at, sizes) for at in range(_MOVED)]
    plan = Plan(
        name="bench",
        uid=_UID,
        phase=PlanPhase.REALISING,
        entries=(*map(_placed, range(_PLACED)), *(entry for entry, _ in moved), *map(_evicted, range(_EVICTED))),
        quotas=(*map(_reserved, range(_PLACED)), *(quota for _, quotas in moved for quota in quotas)),
    )
    slot = PlanSlot(plan=plan.name, plan_uid=_UID, revision=plan.revision, holder="bench", renewal=1)
    objects = {"placementplans": encode_plan(plan, OWN), "planslots": encode_slot(slot, OWN)}
    for name, uid in (("placementplans", _UID), ("planslots", "bench-slot")):
        objects[name]["metadata"] |= {"uid": uid, "creationTimestamp": _STARTED}
    return objects


def _placed(at: int) -> PlanEntry:
    return PlanEntry(
        action=PlanAction.PLACE,
        namespace=_team(at),
        pod=f"planned-{at}",
        uid=f"planned-{at}",
        target=_reserved_node(at),
        controller=_controller(f"planned-{at}", _team(at)),
        requests=_LARGE,
    )


def _reserved(at: int) -> Quota:
    controller = _controller(f"planned-{at}", _team(at))
    return Quota(controller=controller, node=_reserved_node(at), wanted=1, requests=_LARGE)


def _moved(at: int, sizes: Population) -> tuple[PlanEntry, tuple[Quota, ...]]:
    """Return the move of one pod of a workload to another node, and how many of its pods each of the two shall have.

    With as many workloads as nodes, all pods of a workload stand on one node.
    """
    workload = _FIRST_MOVED + at
    source, target = population.node_name(workload), population.node_name(workload + _FIRST_MOVED)
    made = population.bound_pod(workload + sizes.nodes, sizes, now=0.0, created=0.0)["metadata"]
    controller = _controller(made["ownerReferences"][0]["name"], made["namespace"])
    entry = PlanEntry(
        action=PlanAction.MOVE,
        namespace=made["namespace"],
        pod=made["name"],
        uid=made["uid"],
        source=source,
        target=target,
        controller=controller,
        requests=_ORDINARY,
    )
    stay = Quota(controller=controller, node=source, wanted=sizes.pods // sizes.nodes - 1, requests=_ORDINARY)
    come = Quota(controller=controller, node=target, wanted=1, requests=_ORDINARY)
    return entry, (stay, come)


def _evicted(at: int) -> PlanEntry:
    return PlanEntry(
        action=PlanAction.EVICT,
        namespace=_team(at),
        pod=f"evicted-{at}",
        uid=f"evicted-{at}",
        source=population.node_name(_FIRST_MOVED + at),
        controller=_controller(f"evicted-{at}", _team(at)),
        requests=_ORDINARY,
    )


def _reserved_node(at: int) -> str:
    return population.node_name(3 * _FIRST_MOVED + at)


def _team(at: int) -> str:
    return population.namespace(at)


def _controller(name: str, namespace: str) -> WorkloadRef:
    return WorkloadRef("ReplicaSet", namespace, name)
