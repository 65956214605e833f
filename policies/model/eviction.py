"""What an eviction must respect: mode, budgets, floors, debounce, cool-down; and steering after it."""

from collections.abc import Iterator
from typing import Final, Literal

from pydantic import Field

from policies.model.fields import Count, Flag, Namespace, Seconds, Share, ThresholdOrOff, duration_text
from policies.model.limits import CoolDown, Limit, doubtful, given_twice
from policies.model.sections import Remark, Section

DEFAULT_LIMITS: Final = (
    Limit(scope="workload", max=1, window=600.0),
    Limit(scope="namespace", max=5, window=600.0),
    Limit(scope="node", max=1, window=180.0),
    Limit(scope="cluster", max=10, window=600.0),
)


class Eviction(Section):
    """The descheduler's limits. Shipped as `observe`: everything is decided, nothing is evicted."""

    mode: Literal["observe", "enforce"] = Field(
        default="observe",
        description="Whether victims are evicted (`enforce`) or only recorded by the identical path (`observe`). "
        "Default: observe, so that an installation is read before it acts.",
    )
    paused: Flag = Field(
        default=False,
        description="Refuses every eviction while true; deciding, recording refusals and scheduling go on. Default: "
        "false; it is the switch for an incident.",
    )
    limits: tuple[Limit, ...] = Field(
        default=DEFAULT_LIMITS,
        description="Evictions allowed per rolling window; all of them hold at once. A list given here replaces all "
        "of the default. Default: 1 a workload, 5 a namespace and 10 in the cluster in 10 minutes, 1 a node in 3 "
        "minutes, because a moved pod needs minutes to show whether the move helped.",
    )
    victims_per_node: int = Field(
        default=1,
        ge=1,
        strict=True,
        description="Victims of one node in one cycle. Default 1: the next one is chosen on samples without the first.",
    )
    min_ready_replicas: Count = Field(
        default=2,
        description="Ready replicas a workload must keep after the eviction. 0 lets single replicas go. Default 2: one "
        "may fail while another moves.",
    )
    min_pod_age: Seconds = Field(
        default=300.0,
        description="How long a pod must have been Ready before it may be evicted. Default 5m: start-up load is not "
        "contention, and a pod just moved is left alone.",
    )
    ready_for: Seconds = Field(
        default=30.0,
        description="How long a replacement must have been Ready before the next pod of its workload may go. Default "
        "30s: longer than most pods that die at once take to die.",
    )
    consecutive: int = Field(
        default=3,
        ge=1,
        strict=True,
        description="Evaluations in a row, `signals.step` apart, that must all find the soft limit broken. Default "
        "3: one value far off does not evict by itself.",
    )
    cool_down: CoolDown = Field(
        default_factory=CoolDown,
        description="How long a workload is not evicted again from the node it was evicted from.",
    )
    only_if_node_below: ThresholdOrOff = Field(
        default=0.3,
        description="A broken soft limit counts only where the node's headroom is below this; on a roomier node the "
        "cause is elsewhere (a release, a backend) and no other node helps. `off`: everywhere, as in the paper. "
        "Default 0.3: well before saturation, where queueing begins to be felt.",
    )
    max_breached_share: Share = Field(
        default=0.5,
        description="When more than this share of a workload's measured replicas (of at least three) break the soft "
        "limit at once, none is evicted: it is not a placement problem. 100%: never a reason. Default 50%.",
    )
    fall_back: Literal["next", "none"] = Field(
        default="next",
        description="What is tried when the pod that takes most is protected or has no destination: the next one, or "
        "nothing, as in the paper. Default: next, so that one protected pod does not keep a node under water.",
    )
    destination: Literal["required", "off"] = Field(
        default="required",
        description="Whether a node must be known that can take the replacement. Default: required; a pod evicted "
        "without one stays Pending or returns. `off`: the paper's rule.",
    )
    net_gain: Literal["required", "off"] = Field(
        default="required",
        description="Whether the larger of the two nodes' scores must be smaller after the move. Default: required; "
        "otherwise the trouble only moves. `off`: the paper's rule.",
    )
    max_unusable_nodes: Share = Field(
        default=0.35,
        description="Nothing is evicted while more than this share of the nodes is cordoned, not Ready or about to be "
        "removed; it goes on by itself afterwards. 100%: never a reason. Default 35%: one node of three is an ordinary "
        "drain, four of ten are an upgrade or an outage.",
    )
    evict_pods_with_claims: Flag = Field(
        default=True,
        description="Whether pods with PersistentVolumeClaims that can follow them may be evicted; volumes bound to a "
        "node always protect. Default: true, as the volume's zone and attach limits are part of the destination check.",
    )
    protected_namespaces: tuple[Namespace, ...] = Field(
        default=("kube-system", "bayplan-system", "monitoring"),
        description="Pods of these namespaces are never evicted, whatever `scope` says. Default: the cluster's own "
        "components, Bayplan and its metrics; evicting these would blind or stop the ones who decide.",
    )
    retry_for: Seconds = Field(
        default=30.0,
        description="How long one run tries an eviction again that a PodDisruptionBudget or a busy API server refused "
        "for now, with growing pauses and all checks anew; afterwards it is given up. Default 30s: a loop decides "
        "again soon anyway; a CronJob that runs rarely may wait for minutes.",
    )
    landing_timeout: Seconds = Field(
        default=600.0,
        gt=0,
        description="How long after an eviction a Ready replacement is waited for before the outcome is TimedOut. "
        "Default 10m: image pulls and volumes take minutes, and a limit must exist.",
    )
    max_records: int = Field(
        default=5000,
        ge=1,
        strict=True,
        description="EvictionRecords kept; over it nothing is evicted, and none is forgotten before its windows and "
        "cool-downs end. Default 5000: about 10 MB in etcd, three times what the default limits allow in a day. "
        "Plans that use up their own limits all day long reach it and stop.",
    )

    def conflicts(self) -> Iterator[Remark]:
        """Refuse a limit given twice."""
        yield from given_twice(self.limits)

    def warnings(self) -> Iterator[Remark]:
        """Name guards that are off or that stop everything."""
        if self.paused:
            yield Remark(at=("paused",), message="seen true: nothing is evicted until it is false")
        yield from doubtful(self.limits)
        if self.min_ready_replicas == 0:
            yield Remark(at=("minReadyReplicas",), message="seen 0: a workload's only replica may be evicted")
        yield from self._too_many_records()

    def _too_many_records(self) -> Iterator[Remark]:
        kept = max([self.cool_down.max, *(limit.window for limit in self.limits)])
        possible = [limit.max * max(1.0, kept / limit.window) for limit in self.limits if limit.scope == "cluster"]
        if possible and min(possible) > self.max_records:
            yield Remark(
                at=("maxRecords",),
                message=f"seen {self.max_records}, but the limits allow {min(possible):.0f} evictions in the "
                f"{duration_text(kept)} that records are kept: evictions may stop for want of records",
            )


class Steering(Section):
    """Keeping a replacement off the node its predecessor was taken from."""

    avoid_source: Seconds = Field(
        default=600.0,
        description="How long the extender keeps pods of a workload off the node that one of them was evicted from, "
        "while another node is left. 0s: not at all. Default 10m: longer than a replacement takes to bind, shorter "
        "than the load of a node stays what it was.",
    )
