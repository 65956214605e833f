"""The root of the policy, its sections, and what holds between them."""

from collections.abc import Iterator
from typing import Final, Literal

from pydantic import Field

from policies.buoyancy.averages import samples_wanted
from policies.model.buoyancy import Buoyancy
from policies.model.eviction import Eviction, Steering
from policies.model.fields import duration_text
from policies.model.plan import Plan
from policies.model.scope import Scope
from policies.model.sections import Remark, Section
from policies.model.signals import Signals
from policies.model.slos import Slo

# Prometheus refuses a range query of more points a series (promql resolution limit, web/api/v1).
MOST_STEPS: Final = 11_000
DEFAULT_SCHEDULER: Final = "default-scheduler"
_NEEDS_LOOP: Final = (
    "metrics-server keeps no history, so the descheduler must run as a Deployment: under --once nobody is evicted"
)
_SLACK_OF_RANGE: Final = 600.0  # so that the hysteresis sees how a trouble began


class Policy(Section):
    """Everything an operator tunes; both services read the same one."""

    api_version: Literal["bayplan.dev/v1alpha1"] = Field(
        description="The version of this format.", examples=["bayplan.dev/v1alpha1"]
    )
    kind: Literal["Policy"] = Field(description="The kind of document.", examples=["Policy"])
    scope: Scope = Field(default_factory=Scope, description="Which pods Bayplan places and evicts.")
    signals: Signals = Field(default_factory=Signals, description="Where values come from and what they mean.")
    slos: tuple[Slo, ...] = Field(
        default=(),
        description="Objectives whose lasting breach makes a pod a candidate. Default: none, as only you know yours; "
        "buoyancy works without.",
    )
    buoyancy: Buoyancy = Field(default_factory=Buoyancy, description="Thresholds for placing and descheduling.")
    eviction: Eviction = Field(default_factory=Eviction, description="What every eviction must respect.")
    steering: Steering = Field(default_factory=Steering, description="Where replacements must not go.")
    plan: Plan = Field(default_factory=Plan, description="Joint decisions over many nodes, and what they may cost.")

    @property
    def history_span(self) -> float:
        """Return how far back the one range query reaches, in seconds (buoyancy design, section 4a).

        Twice the longest window, the longest debounce, and ten minutes for the hysteresis.
        """
        window = max([slo.window for slo in self.slos], default=0.0)
        debounce = max(self.eviction.consecutive * self.signals.step, self.buoyancy.deschedule_after)
        return 2 * window + debounce + _SLACK_OF_RANGE

    def conflicts(self) -> Iterator[Remark]:
        """Refuse names given twice, SLOs that nothing measures, and ranges that Prometheus does not answer."""
        seen: dict[str, int] = {}
        for index, slo in enumerate(self.slos):
            first = seen.setdefault(slo.name, index)
            if first != index:
                yield Remark(
                    at=("slos", index, "name"),
                    message=f"{slo.name!r} is the name of slos[{first}] already; allowed is a name of its own",
                    about=(("slos", first, "name"), ("slos", index, "name")),
                )
        if self.signals.source == "metrics-server" and self.slos:
            yield Remark(
                at=("slos",),
                message=f"seen {len(self.slos)} with signals.source metrics-server, which measures no indicator; "
                "allowed is none, or source: prometheus",
                about=(("signals", "source"),),
            )
        if self.history_span / self.signals.step > MOST_STEPS:
            yield Remark(
                at=("signals", "step"),
                message=f"seen {duration_text(self.signals.step)}, so that the history of "
                f"{duration_text(self.history_span)} (2 x longest window + longest debounce + 10m) has "
                f"{self.history_span / self.signals.step:.0f} steps; allowed are {MOST_STEPS}",
                about=(("signals", "step"), ("buoyancy", "descheduleAfter"), ("eviction", "consecutive"), ("slos",)),
            )

    def warnings(self) -> Iterator[Remark]:
        """Name what has no effect, or more effect than it seems, because of another section."""
        yield from self._hard_limits()
        yield from self._no_history()
        yield from self._without_effect()
        if self.plan.active:
            yield from self._plans_undone()

    def _hard_limits(self) -> Iterator[Remark]:
        step = self.signals.step
        for index, slo in enumerate(self.slos):
            if samples_wanted(slo.window, step) == 1:
                yield Remark(
                    at=("slos", index, "window"),
                    message=f"seen {duration_text(slo.window)} with step {duration_text(step)}: one sample, a hard "
                    "limit",
                )
        if self.signals.resources and self.buoyancy.deschedule_after < step:
            yield Remark(
                at=("buoyancy", "descheduleAfter"),
                message=f"seen {duration_text(self.buoyancy.deschedule_after)}, less than step "
                f"({duration_text(step)}): one evaluation decides, a hard limit",
            )

    def _no_history(self) -> Iterator[Remark]:
        if self.signals.source != "metrics-server":
            return
        consecutive, lasting = self.eviction.consecutive, self.buoyancy.deschedule_after
        if consecutive > 1:
            yield Remark(at=("eviction", "consecutive"), message=f"seen {consecutive}; {_NEEDS_LOOP}")
        if lasting > 0:
            yield Remark(at=("buoyancy", "descheduleAfter"), message=f"seen {duration_text(lasting)}; {_NEEDS_LOOP}")

    def _without_effect(self) -> Iterator[Remark]:
        if self.buoyancy.include_slack == "filter" and not self.slos:
            yield Remark(
                at=("buoyancy", "includeSlack"), message="seen filter without any SLO: there is no slack to include"
            )
        if self.slos and not self.signals.resources and self.eviction.only_if_node_below != "off":
            yield Remark(
                at=("eviction", "onlyIfNodeBelow"),
                message="without any resource no node's headroom is known, so that no SLO ever evicts; allowed is off",
            )
        for index, slo in enumerate(self.slos):
            for name in slo.namespaces:
                if not self.scope.namespaces.cover(name):
                    message = f"{name!r} is not in scope: nobody is evicted there"
                    yield Remark(at=("slos", index, "namespaces"), message=message)

    def _plans_undone(self) -> Iterator[Remark]:
        """Name what lets pods take reserved capacity: who is out of scope knows no reservations."""
        at = ("plan", "relief" if self.plan.trigger == "off" else "trigger")
        end = "may take what a plan has reserved, which ends the plan"
        if DEFAULT_SCHEDULER not in self.scope.scheduler_names:
            named = ", ".join(self.scope.scheduler_names)
            message = f"scope.schedulerNames holds {named} alone: pods of {DEFAULT_SCHEDULER}, if there are any, {end}"
            yield Remark(at=at, message=message)
        if self.scope.namespaces.include:
            message = f"scope.namespaces.include names {len(self.scope.namespaces.include)}: pods of other ones {end}"
            yield Remark(at=at, message=message)
        if self.scope.pod_selector.compiled().requirements:
            yield Remark(at=at, message=f"scope.podSelector is not empty: pods that it does not match {end}")
        if self.plan.relief and not self.signals.resources:
            yield Remark(
                at=("plan", "relief"), message="seen true without any resource: no node is ever known to be congested"
            )
