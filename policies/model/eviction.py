"""What an eviction must respect: mode, budgets, floors, debounce, cool-down; and steering after it."""

from typing import Literal

from pydantic import Field

from policies.model.fields import Seconds, Section, Share


class Limit(Section):
    """At most `max` evictions per `window` for each member of the scope; 0 means none, not unlimited."""

    scope: Literal["workload", "namespace", "node", "cluster"]
    max: int = Field(ge=0)
    window: Seconds = Field(gt=0)


class CoolDown(Section):
    """How long a (workload, node) pair rests after an eviction; grows by `factor` while moves do not help."""

    initial: Seconds = 600.0
    factor: float = Field(default=2.0, ge=1)
    max: Seconds = 86400.0


class Eviction(Section):
    """The descheduler's limits. Shipped as `observe`: everything is decided, nothing is evicted."""

    mode: Literal["observe", "enforce"] = "observe"
    paused: bool = False
    limits: tuple[Limit, ...] = (
        Limit(scope="workload", max=1, window=600.0),
        Limit(scope="namespace", max=5, window=600.0),
        Limit(scope="node", max=1, window=180.0),
        Limit(scope="cluster", max=10, window=600.0),
    )
    victims_per_node: int = Field(default=1, ge=1)
    min_ready_replicas: int = Field(default=2, ge=0)
    min_pod_age: Seconds = 300.0
    ready_for: Seconds = 30.0
    consecutive: int = Field(default=3, ge=1)
    cool_down: CoolDown = Field(default_factory=CoolDown)
    only_if_node_below: float | Literal["off"] = 0.3
    max_breached_share: Share = 0.5
    fall_back: Literal["next", "none"] = "next"
    destination: Literal["required", "off"] = "required"
    net_gain: Literal["required", "off"] = "required"
    evict_pods_with_claims: bool = True
    protected_namespaces: tuple[str, ...] = ("kube-system", "bayplan-system", "monitoring")
    landing_timeout: Seconds = 600.0
    max_records: int = Field(default=5000, ge=1)


class Steering(Section):
    """Keeping a replacement off the node its predecessor was taken from."""

    avoid_source: Seconds = 600.0
