"""PodDisruptionBudgets as decisions see them."""

from dataclasses import dataclass

from policies.values.selectors import LabelSelector


@dataclass(frozen=True, slots=True, kw_only=True)
class Pdb:
    """A PodDisruptionBudget with the disruption controller's last word on it.

    `disruptions_allowed` is None while `observedGeneration` lags or the status was never written: unknown, hence
    no eviction. `selector` None matches no pod. `always_allows_unhealthy` is `unhealthyPodEvictionPolicy:
    AlwaysAllow`; `healthy` and `desired_healthy` serve the other policy, IfHealthyBudget.
    """

    namespace: str
    name: str
    selector: LabelSelector | None
    disruptions_allowed: int | None
    healthy: int = 0
    desired_healthy: int = 0
    always_allows_unhealthy: bool = False

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"
