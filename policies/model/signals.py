"""Where values come from and how each contended resource is measured."""

from collections.abc import Iterator
from typing import Final, Literal

from pydantic import Field

from policies.model.fields import Flag, Name, Number, Query, Seconds, SeriesLabel, Share, duration_text
from policies.model.prometheus import Prometheus
from policies.model.sections import Remark, Section

_ALLOCATABLE: Final = ("cpu", "memory", "ephemeral-storage")
_METRICS_SERVER: Final = ("cpu", "memory")
_QUERIES: Final = ("node", "pressure", "pod", "workload", "age", "pod_age")


class ResourceSignal(Section):
    """How one contended resource is measured. Every query is PromQL.

    A raw value becomes a resource score by `R = max(0, (raw - zero) / (full - zero))`: 0 idle, 1 saturated.
    """

    node: Query | None = Field(
        default=None,
        description="The node's raw value, one series a node (for CPU: the share in use). Must be given with source "
        "prometheus. Default: none, as metrics-server knows no queries: it measures use as a share of allocatable.",
        examples=['1 - avg by (node, instance) (rate(node_cpu_seconds_total{mode="idle"}[1m]))'],
    )
    pressure: Query | None = Field(
        default=None,
        description="The node's pressure (PSI some, 0 to 1), added to the score where the node's score reaches `gate`. "
        "Default: none, as only CPU separates use from pressure: memory and IO pressure are scores by themselves.",
    )
    gate: Number = Field(
        default=0.7,
        ge=0,
        description="The score from which `pressure` counts. Default 0.7: pressure on an emptier node comes from the "
        "pods' own limits, not from their neighbours.",
    )
    pod: Query | None = Field(
        default=None,
        description="What each pod takes, one series a pod; the pods of an oversubscribed node are ordered by it. "
        "Default: none, and then no pod is ever chosen for this resource.",
    )
    pod_per: Literal["allocatable", "one"] = Field(
        default="one",
        description="What a pod's value is divided by to become its score. `allocatable`: the node's allocatable "
        "amount of this resource (the query gives cores or bytes). `one`: nothing, the value is normalised by `zero` "
        "and `full` as the node's is. Default: one, as only CPU, memory and storage have an allocatable amount.",
    )
    workload: Query | None = Field(
        default=None,
        description="Use by namespace and workload in the unit of the pods' requests; its ratio to the requests is the "
        "load assumed of pods that no sample shows yet. Additive resources only. Default: none, which assumes that a "
        "pod uses what it requests.",
    )
    age: Query | None = Field(
        default=None,
        description="Seconds since the newest raw sample, one series a node; covers `node` and `pressure`. Default: "
        "none, and then the values may score, but neither refuse a node nor evict a pod, as nothing shows when they "
        "are old.",
    )
    pod_age: Query | None = Field(
        default=None,
        description="Seconds since the newest raw sample, one series a pod; covers `pod`. Default: none, and then no "
        "pod is evicted for this resource, as nothing shows when its values are old.",
    )
    zero: Number = Field(
        default=0.0,
        description="The raw value at which there is no contention, in the query's unit. Default 0: an idle resource.",
    )
    full: Number = Field(
        default=1.0,
        description="The raw value at which the resource is saturated, in the query's unit. Default 1: right for "
        "shares and PSI; a bandwidth takes its measured peak here.",
    )
    rate_window: Seconds = Field(
        default=60.0,
        description="The look-back of the rates in `node`: a pod bound less than this before the newest sample is only "
        "partly in it. 0s for gauges. Default 1m: four samples of a kubelet that collects every 15 s.",
    )
    additive: Flag = Field(
        default=False,
        description="Whether the values of pods add up to the node's (use of something shared out: cores, bandwidth). "
        "Only then is there arithmetic about moves and assumed load. Default: false, as pressures and ratios do not "
        "add up and a wrong true promises room that is not there.",
    )

    def conflicts(self) -> Iterator[Remark]:
        """Refuse anchors that coincide: the score would divide by nothing."""
        if self.full == self.zero:
            yield Remark(
                at=("full",),
                message=f"seen {self.full:g}, the same as zero; allowed is any other number",
                about=(("full",), ("zero",)),
            )

    def warnings(self) -> Iterator[Remark]:
        """Name fields without effect."""
        if self.workload is not None and not self.additive:
            yield Remark(at=("workload",), message="without effect: the resource is not additive")
        if self.pressure is None and "gate" in self.model_fields_set and self.gate != _field_default("gate"):
            yield Remark(at=("gate",), message="without effect: there is no pressure query")

    def queries(self) -> dict[str, str]:
        """Return the queries that are given, by field name."""
        return {name: query for name in _QUERIES if (query := getattr(self, name)) is not None}


def _field_default(name: str) -> object:
    return ResourceSignal.model_fields[name].default


class Signals(Section):
    """The source of all values, their pace, and the contended resources by name."""

    source: Literal["prometheus", "metrics-server"] = Field(
        default="prometheus",
        description="Where values come from. `metrics-server` measures plain CPU and memory use, keeps no history and "
        "knows no SLO. Default: prometheus, the only one that shows contention.",
    )
    prometheus: Prometheus = Field(default_factory=Prometheus, description="How to reach Prometheus.")
    step: Seconds = Field(
        default=15.0,
        gt=0,
        description="Time between two evaluations: the extender polls at this pace, averages and debounce count in it. "
        "Set it to the scrape interval. Default 15s: the kubelet collects container figures every 10 to 15 s.",
    )
    stale_after: Seconds = Field(
        default=60.0,
        gt=0,
        description="Age of the newest raw sample beyond which a value is stale: no refusal and no eviction rests on "
        "it. At least `step`. Default 1m: four steps, so that three lost scrapes are forgiven.",
    )
    min_coverage: Share = Field(
        default=0.8,
        description="Share of the nodes in scope whose signals must be fresh; below it nobody is evicted for "
        "contention, as the picture is too thin to compare nodes. Default 80%: a few nodes may come and go.",
    )
    node_label: tuple[SeriesLabel, ...] = Field(
        default=("node", "instance", "kubernetes_node"),
        min_length=1,
        description="Labels that may name a series' node, tried in turn; the value may be a node name, an address of "
        "the node, or either with a port. Default: what the kubelet's and node_exporter's series usually carry.",
    )
    pod_label: tuple[SeriesLabel, ...] = Field(
        default=("pod",),
        min_length=1,
        description="Labels that may name a series' pod, tried in turn. Default: the kubelet's.",
    )
    namespace_label: tuple[SeriesLabel, ...] = Field(
        default=("namespace",),
        min_length=1,
        description="Labels that may name the namespace of a pod or workload, tried in turn. Default: the kubelet's.",
    )
    workload_label: tuple[SeriesLabel, ...] = Field(
        default=("workload", "deployment", "statefulset"),
        min_length=1,
        description="Labels that may name a series' workload, tried in turn. Default: the label that the presets' "
        "queries make, then those of kube-state-metrics.",
    )
    resources: dict[Name, ResourceSignal] = Field(
        default_factory=dict,
        description="The contended resources, by a name of your choice (cpu, memory and ephemeral-storage mean the "
        "Kubernetes resources). Default: none; take them from a preset, as the right queries depend on the exporters.",
    )

    def conflicts(self) -> Iterator[Remark]:
        """Refuse what the source cannot measure and ages that no value can keep."""
        if self.stale_after < self.step:
            yield Remark(
                at=("staleAfter",),
                message=f"seen {duration_text(self.stale_after)}, less than step ({duration_text(self.step)}), so that "
                "every value would be stale before the next; allowed is step or longer",
                about=(("staleAfter",), ("step",)),
            )
        for name, resource in self.resources.items():
            found = (_prometheus_conflicts if self.source == "prometheus" else _metrics_server_conflicts)(
                name, resource
            )
            for remark in found:
                at: tuple[str, ...] = ("resources", name)
                yield remark.within(at)

    def warnings(self) -> Iterator[Remark]:
        """Name resources that can only score, and polls that overlap."""
        if not self.resources:
            yield Remark(at=("resources",), message="empty: nothing is measured, so every node's buoyancy is unknown")
        if self.stale_after < 2 * self.step:
            seen = f"seen {duration_text(self.stale_after)}, less than two steps ({duration_text(self.step)} each)"
            yield Remark(at=("staleAfter",), message=f"{seen}: one late sample makes a value stale")
        if self.source == "metrics-server":
            return
        if self.prometheus.timeout > self.step:
            seen = f"{duration_text(self.prometheus.timeout)}, longer than step ({duration_text(self.step)})"
            yield Remark(at=("prometheus", "timeout"), message=f"{seen}: a slow answer delays the next poll")
        for name, resource in self.resources.items():
            yield from (remark.within(("resources", name)) for remark in _missing_ages(resource))

    def measure_pods(self, resource: str) -> bool:
        """Tell whether it is known what pods take of a resource; metrics-server knows it without a query."""
        return self.source == "metrics-server" or self.resources[resource].pod is not None


def _prometheus_conflicts(name: str, resource: ResourceSignal) -> Iterator[Remark]:
    if resource.node is None:
        yield Remark(at=("node",), message="missing; allowed is a PromQL query that gives one series a node")
    if resource.pod_per == "allocatable" and name not in _ALLOCATABLE:
        yield Remark(
            at=("podPer",),
            message=f"nodes have no allocatable {name!r}; allowed is one, or allocatable for {', '.join(_ALLOCATABLE)}",
        )


def _metrics_server_conflicts(name: str, resource: ResourceSignal) -> Iterator[Remark]:
    if name not in _METRICS_SERVER:
        yield Remark(
            at=(), message=f"metrics-server does not measure {name!r}; allowed is {' and '.join(_METRICS_SERVER)}"
        )
    for query in resource.queries():
        yield Remark(
            at=(ResourceSignal.model_fields[query].alias or query,),
            message="metrics-server answers no query; allowed is none, or source: prometheus",
        )


def _missing_ages(resource: ResourceSignal) -> Iterator[Remark]:
    if resource.age is None:
        yield Remark(at=(), message="has no age query: it can score nodes, but never refuse one nor evict a pod")
    if resource.pod is None:
        yield Remark(at=(), message="has no pod query: an oversubscribed node finds no victim for it")
    elif resource.pod_age is None:
        yield Remark(at=(), message="has no podAge query: no pod is ever evicted for it")
