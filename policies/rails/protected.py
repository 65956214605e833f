"""Pods of Bayplan's own namespace and of `eviction.protectedNamespaces` are never evicted.

By default these are kube-system and the home of the metrics source: evicting what one measures or decides with
blinds the next decision.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal, Scope

RAIL: Final = "protected-namespace"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods of namespaces that keep the cluster or Bayplan itself running."""
    namespace = candidate.pod.namespace
    if namespace == situation.own_namespace:
        return Refusal(RAIL, f"{namespace} is Bayplan's own namespace", Scope.NAMESPACE)
    if namespace in situation.policy.eviction.protected_namespaces:
        return Refusal(RAIL, f"namespace {namespace} is in eviction.protectedNamespaces", Scope.NAMESPACE)
    return None
