"""Pods of Bayplan's own namespace, of the metrics source's and of `eviction.protectedNamespaces` are never evicted.

Evicting what one measures or decides with blinds the next decision. The metrics source's namespace is read from
`signals.prometheus.url` where that names a Service; the list's default is kube-system and the usual homes of both.
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
    signals = situation.policy.signals
    if signals.source == "prometheus" and namespace == signals.prometheus.namespace:
        return Refusal(RAIL, f"{namespace} is where signals.prometheus.url leads", Scope.NAMESPACE)
    if namespace in situation.policy.eviction.protected_namespaces:
        return Refusal(RAIL, f"namespace {namespace} is in eviction.protectedNamespaces", Scope.NAMESPACE)
    return None
