"""Placement plans: when one is computed, what it may cost, and how it is carried out."""

from collections.abc import Iterator
from typing import Final, Literal

from pydantic import Field

from policies.model.fields import Count, CountOrAny, Flag, Seconds, duration_text
from policies.model.limits import CoolDown, Limit, doubtful, given_twice
from policies.model.sections import Remark, Section

MOST_ENTRIES: Final = 500  # of one plan: its object stays far below what etcd takes
USUAL_GRACE: Final = 30.0  # terminationGracePeriodSeconds of a pod that says nothing
DEFAULT_LIMITS: Final = (
    Limit(scope="workload", max=1, window=600.0),
    Limit(scope="node", max=5, window=600.0),
    Limit(scope="cluster", max=40, window=600.0),
)


class PlanEviction(Section):
    """What the moves and evictions of a plan respect, instead of the values of `eviction` with the same names."""

    limits: tuple[Limit, ...] = Field(
        default=DEFAULT_LIMITS,
        description="Evictions allowed per rolling window before a plan may take another one. Every record counts, "
        "whoever wrote it. A list given here replaces all of the default. Default: 1 a workload, 5 a node and 40 in "
        "the cluster in 10 minutes: a plan is a joint decision that was checked as a whole, so it may do more at once "
        "than single evictions.",
    )
    min_ready_replicas: Count = Field(
        default=1,
        description="Ready replicas a workload must keep after a plan's eviction. 0 lets single replicas go. Default "
        "1: one replica keeps serving while the other moves to a node that is reserved for it.",
    )
    min_pod_age: Seconds = Field(
        default=300.0,
        description="How long a pod must have been Ready before a plan may move it. Default 5m, as for single "
        "evictions.",
    )
    cool_down: CoolDown = Field(
        default_factory=CoolDown,
        description="How long a workload is not taken off the same node again, and how long the pairs of a failed "
        "plan rest.",
    )

    def conflicts(self) -> Iterator[Remark]:
        """Refuse a limit given twice."""
        yield from given_twice(self.limits)

    def warnings(self) -> Iterator[Remark]:
        """Name guards that are off or that stop everything."""
        yield from doubtful(self.limits)
        if self.min_ready_replicas == 0:
            yield Remark(at=("minReadyReplicas",), message="seen 0: a workload's only replica may be moved")


class Plan(Section):
    """Cross-node placement plans. Shipped as `off`: needs an extender that every pod in scope passes."""

    trigger: Literal["off", "periodic", "stable-queue", "scheduling-failure"] = Field(
        default="off",
        description="When a plan is computed: never, each `interval`, once the pending pods stayed the same for "
        "`stableFor`, or when a pod is reported unschedulable. Default: off, until you have read what "
        "`bayplan plan solve` would do in your cluster.",
    )
    relief: Flag = Field(
        default=False,
        description="Whether a congested node is relieved by a plan where no single eviction has a destination. "
        "Default: false; it works without any other trigger.",
    )
    blocking: Flag = Field(
        default=False,
        description="Whether pods in scope wait while a plan is computed; the solve then ends after 2 s, whatever "
        "`timeLimit` says, and so does the wait. Default: false; a plan that the world has overtaken meanwhile is "
        "dropped, which costs nothing but the solver's time.",
    )
    interval: Seconds = Field(
        default=8.0,
        gt=0,
        description="The pace of `periodic`. A state that was solved before is skipped. Default 8s, as in the paper.",
    )
    stable_for: Seconds = Field(
        default=8.0,
        gt=0,
        description="How long `stable-queue` waits for the set of pending pods to stay the same; a change cancels a "
        "running solve. Default 8s, as in the paper.",
    )
    time_limit: Seconds = Field(
        default=10.0,
        gt=0,
        description="How long one solve may take. Default 10s: at that time most small clusters are solved to the "
        "proof and large ones well repaired.",
    )
    solver: Literal["bayplan", "released", "repaired", "command"] = Field(
        default="bayplan",
        description="Who solves: Bayplan, the paper's Algorithm 8 as released or repaired (both for comparison), or "
        "`command`. Every answer passes the same independent check. Default: bayplan.",
    )
    command: tuple[str, ...] = Field(
        default=(),
        description="An external solver: program and arguments. It reads a problem as JSON from its standard input "
        "and writes its answer to the standard output (docs/reference/solver.md); it is ended when late. Default: "
        "none.",
        examples=[["/usr/local/bin/my-solver", "--fast"]],
    )
    order: Literal["placement-first", "frozen"] = Field(
        default="placement-first",
        description="What is better: most pods placed, whoever is moved for it, or the paper's way, in which a tier "
        "that is settled is not moved again for a less important one. Default: placement-first.",
    )
    evict_for_count: Flag = Field(
        default=False,
        description="Whether a pod may lose its place for more pods of its own or a less important priority. Default: "
        "false, Kubernetes' own rule: only for a strictly higher priority.",
    )
    price: CountOrAny = Field(
        default=8,
        description="How many more disruptions one more placed pod may cost; `any`: no limit but `maxDisruptions`. "
        "Under a number the pods that cost least come first, and those that would cost more stay pending. Default 8: "
        "in full clusters of 32 nodes that was 62 of 64 pods for nine tenths of the disruptions.",
    )
    max_disruptions: Count = Field(
        default=20,
        le=MOST_ENTRIES,
        description="Moves and evictions of one plan, at most 500. 0: only placements. Default 20: half of what the "
        "default limits of plans allow in 10 minutes.",
    )
    max_grace: Seconds = Field(
        default=60.0,
        description="Pods with a longer termination grace period are not moved by plans, as the whole plan would wait "
        "for them. Default 1m: twice Kubernetes' own default.",
    )
    hold: Literal["reservations", "all"] = Field(
        default="reservations",
        description="What other pods may do while a plan is carried out: go wherever they do not use up what is "
        "reserved, or wait until it is over, as in the paper. Default: reservations.",
    )
    max_held: Count = Field(
        default=50,
        description="How many pods `hold: all` keeps waiting; further ones are treated as under `reservations`. "
        "Default 50: each held pod costs a filter call whenever any pod is bound.",
    )
    before_preemption: Seconds = Field(
        default=0.0,
        description="How long the first preempt calls of a pod are refused so that a plan can come first. Never for "
        "system-critical pods, and not while no plan could be computed. If no plan comes, kube-scheduler tries the "
        "pod again at the next event in the cluster, or after 5:30 minutes on a quiet one. Default 0s: preemption "
        "goes first.",
    )
    realise_within: Seconds = Field(
        default=30.0,
        gt=0,
        description="How long after the last evicted pod's grace period the planned pods may take to be bound before "
        "the plan is given up. Default 30s: a bind takes milliseconds, a controller's back-off seconds.",
    )
    nominate: Flag = Field(
        default=False,
        description="Whether planned pods also get `status.nominatedNodeName`, which makes kube-scheduler look at the "
        "planned node first. Needs a ClusterRole of its own (docs/install.md). Default: false; only clusters of over "
        "100 nodes whose scheduler samples nodes need it.",
    )
    eviction: PlanEviction = Field(
        default_factory=PlanEviction, description="What the disruptions of a plan must respect."
    )

    def conflicts(self) -> Iterator[Remark]:
        """Refuse a solver without its command, and a command without its solver."""
        if self.solver == "command" and not self.command:
            yield Remark(
                at=("command",),
                message="seen nothing with plan.solver command; allowed is a program and its arguments",
                about=(("solver",),),
            )
        if self.command and self.solver != "command":
            yield Remark(
                at=("solver",),
                message=f"seen {self.solver} with a plan.command; allowed is command, or no plan.command",
                about=(("command",),),
            )

    @property
    def active(self) -> bool:
        """Whether plans are computed at all."""
        return self.trigger != "off" or self.relief

    @property
    def waits_for(self) -> float:
        """Return how long (s) a pod may be pending before its plan is begun."""
        waits = {"periodic": self.interval, "stable-queue": self.stable_for}
        return waits.get(self.trigger, 0.0)

    def warnings(self) -> Iterator[Remark]:
        """Name settings that do nothing, or that leave plans nothing to do."""
        yield from self._without_trigger()
        if self.active:
            yield from self._nothing_to_do()
        if self.hold == "all" and self.max_held == 0:
            yield Remark(at=("maxHeld",), message="seen 0: hold all holds nobody, as if it were reservations")

    def _without_trigger(self) -> Iterator[Remark]:
        if self.blocking and not self.active:
            yield Remark(at=("blocking",), message="seen true with trigger off and no relief: nothing is computed")
        if not self.before_preemption:
            return
        seen = f"seen {duration_text(self.before_preemption)}"
        if self.trigger == "off":
            message = f"{seen} with trigger off: no plan comes, so nothing is waited for"
            yield Remark(at=("beforePreemption",), message=message)
        elif self.before_preemption <= self.waits_for:
            message = (
                f"{seen}, but trigger {self.trigger} begins a plan only after {duration_text(self.waits_for)}: "
                "preemption goes first"
            )
            yield Remark(at=("beforePreemption",), message=message)

    def _nothing_to_do(self) -> Iterator[Remark]:
        if self.max_disruptions == 0:
            gain = "no node is relieved" if self.relief else "plans place only pods that fit without them"
            yield Remark(at=("maxDisruptions",), message=f"seen 0: {gain}")
        elif self.price == 0:
            yield Remark(at=("price",), message="seen 0: no pod is moved so that another one fits")
        if self.max_grace < USUAL_GRACE:
            message = (
                f"seen {duration_text(self.max_grace)}: pods with Kubernetes' own default of "
                f"{duration_text(USUAL_GRACE)} are not moved"
            )
            yield Remark(at=("maxGrace",), message=message)
        yield from self._beyond_limits()

    def _beyond_limits(self) -> Iterator[Remark]:
        for limit in self.eviction.limits:
            if limit.scope == "cluster" and 0 < limit.max < self.max_disruptions:
                yield Remark(
                    at=("maxDisruptions",),
                    message=f"seen {self.max_disruptions}, but plan.eviction.limits allow {limit.max} evictions in "
                    f"{duration_text(limit.window)}: no plan is larger",
                )
