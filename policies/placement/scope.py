"""Whose placement Bayplan has a say in, and why not in the others'; knows no node."""

from dataclasses import dataclass
from typing import Final

from policies.model.scope import Scope
from policies.values.pods import Pod
from policies.values.selectors import LabelSelector

SYSTEM_CRITICAL: Final = frozenset({"system-cluster-critical", "system-node-critical"})
# scheduling.SystemCriticalPriority of Kubernetes: user-made classes end at a thousand million.
SYSTEM_PRIORITY: Final = 2_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The scope of a policy, compiled once; `own_namespace` is where Bayplan itself runs."""

    scope: Scope
    selector: LabelSelector
    own_namespace: str

    @staticmethod
    def of(scope: Scope, own_namespace: str) -> "Reach":
        """Compile the scope's selector."""
        return Reach(scope=scope, selector=scope.pod_selector.compiled(), own_namespace=own_namespace)

    def exemption(self, pod: Pod) -> str | None:
        """Say why Bayplan has no say in a pod's placement; None where it has.

        DaemonSet pods are bound to their node, system-critical ones must run, and without its own nothing works.
        """
        if pod.owner is not None and pod.owner.kind == "DaemonSet":
            return "DaemonSet pod"
        if pod.priority_class in SYSTEM_CRITICAL or pod.priority >= SYSTEM_PRIORITY:
            return "system-critical pod"
        if pod.namespace == self.own_namespace:
            return "Bayplan's own namespace"
        return self._outside(pod)

    def _outside(self, pod: Pod) -> str | None:
        namespaces = self.scope.namespaces
        if pod.namespace in namespaces.exclude or (namespaces.include and pod.namespace not in namespaces.include):
            return f"out of scope: namespace {pod.namespace}"
        if pod.scheduler_name not in self.scope.scheduler_names:
            return f"out of scope: scheduler {pod.scheduler_name}"
        if not self.selector.matches(pod.labels):
            return "out of scope: podSelector"
        return None
