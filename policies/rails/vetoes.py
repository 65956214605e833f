"""Vetoes of owners and of other tools are respected: any known annotation refuses, whatever its value.

Read on the pod, on its workload and, for the keys that speak of nodes too, on its node. Values are not parsed yet, so
that `evict: "false"` and a mistyped value protect as well; `evict: "true"` therefore protects too.

Known are `bayplan.dev/no-evict` and `karpenter.sh/do-not-disrupt` (also on nodes), Karpenter's older
`karpenter.sh/do-not-evict` and (on nodes) `…/do-not-consolidate`, `descheduler.alpha.kubernetes.io/evict` and
`…/prefer-no-eviction`, `cluster-autoscaler.kubernetes.io/safe-to-evict` and `…/safe-to-evict-local-volumes`.

On the workload they are read of Deployments, StatefulSets and ReplicaSets; workloads of other kinds (an Argo Rollout)
are not read, so there the annotation belongs into the pod template.
"""

from collections.abc import Mapping
from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal, Scope

RAIL: Final = "veto"
NO_EVICT: Final = "bayplan.dev/no-evict"
NODE_KEYS: Final = (NO_EVICT, "karpenter.sh/do-not-disrupt", "karpenter.sh/do-not-consolidate")
KEYS: Final = (
    *NODE_KEYS,
    "karpenter.sh/do-not-evict",
    "descheduler.alpha.kubernetes.io/evict",
    "descheduler.alpha.kubernetes.io/prefer-no-eviction",
    "cluster-autoscaler.kubernetes.io/safe-to-evict",
    "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes",
)


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods that carry a veto, or whose workload or node does."""
    workload, node = situation.workload(candidate), situation.cluster.nodes.get(candidate.node)
    found = _first(KEYS, candidate.pod.annotations)
    if found is not None:
        return Refusal(RAIL, f"annotation {found} on the pod")
    found = None if workload is None else _first(KEYS, workload.annotations)
    if found is not None:
        return Refusal(RAIL, f"annotation {found} on {situation.ref(candidate)}", Scope.WORKLOAD)
    found = None if node is None else _first(NODE_KEYS, node.annotations)
    if found is not None:
        return Refusal(RAIL, f"annotation {found} on node {candidate.node}", Scope.NODE)
    return None


def _first(keys: tuple[str, ...], annotations: Mapping[str, str]) -> str | None:
    return next((f"{key}={annotations[key]!r}" for key in keys if key in annotations), None)
