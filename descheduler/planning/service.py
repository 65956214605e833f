"""Plans in the process: their parts put together, their threads, what they say of themselves; decides nothing."""

import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from prometheus_client import CollectorRegistry

from descheduler.eventing import EventWriter
from descheduler.ledger import LedgerKeeper
from descheduler.optimiser.guarding import GuardedSolver
from descheduler.optimiser.opening import open_solver
from descheduler.optimiser.solution import Solver
from descheduler.planning.attempting import Attempts
from descheduler.planning.computing import Computer
from descheduler.planning.desk import Asked, Desk
from descheduler.planning.figures import PlanMetrics
from descheduler.planning.gate import Gate
from descheduler.planning.planner import Planner
from descheduler.planning.replicas import Replicas
from descheduler.planning.results import Result
from descheduler.planning.slot import SlotKeeper
from descheduler.planning.store import PlanStore
from descheduler.planning.tooling import Sight, Tools
from descheduler.planning.triggers import Triggers
from descheduler.reporting import Reporter
from policies.model.loading import Loaded
from policies.model.plan import Plan
from policies.values.pods import Pod
from sources.clocks import Clock
from sources.kube.api import KubeApi
from sources.kube.cluster_watch import Change

ONCE: Final = "once"
_TRIES: Final = 5
_AGAIN: Final = 1.0
Task = tuple[str, Callable[[threading.Event], None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSetting:
    """What plans are made with. `pods` gives the watched pods by UID; `failed_solves` keeps what the check refused."""

    api: KubeApi
    namespace: str
    holder: str
    policy: Callable[[], Loaded]
    leads: Callable[[], bool]
    sight: Sight
    pods: Callable[[], Mapping[str, Pod]]
    registry: CollectorRegistry
    clock: Clock
    stop: threading.Event
    seed: int = 0
    failed_solves: Path | None = None


class PlanService:
    """Everything about plans in one process."""

    def __init__(self, setting: PlanSetting, gate: Gate) -> None:
        self._setting = setting
        self._solver: tuple[object, GuardedSolver] | None = None
        self._opening = threading.Lock()
        self.desk = Desk()
        self.slot = SlotKeeper(setting.api, namespace=setting.namespace, holder=setting.holder, clock=setting.clock)
        self.replicas = Replicas(setting.api, namespace=setting.namespace, clock=setting.clock)
        self.metrics = PlanMetrics(setting.registry)
        self.planner = Planner(
            tools=self._tools(gate),
            computer=Computer(solver=self._opened, clock=setting.clock),
        )
        self.triggers = Triggers(desk=self.desk, policy=setting.policy, pods=setting.pods, clock=setting.clock)
        self.attempts = Attempts(desk=self.desk, planner=self.planner, policy=setting.policy, clock=setting.clock)

    def _tools(self, gate: Gate) -> Tools:
        setting = self._setting
        return Tools(
            api=setting.api,
            namespace=setting.namespace,
            sight=setting.sight,
            store=PlanStore(setting.api, namespace=setting.namespace, clock=setting.clock),
            slot=self.slot,
            replicas=self.replicas,
            # Not the cycles' own writer: these would settle what a plan is about to call.
            keeper=LedgerKeeper(
                setting.api,
                namespace=setting.namespace,
                writer=f"{setting.holder}/plan",
                clock=setting.clock,
            ),
            events=EventWriter(setting.api, instance=setting.holder, clock=setting.clock),
            reporter=Reporter(setting.api, namespace=setting.namespace),
            metrics=self.metrics,
            gate=gate,
            clock=setting.clock,
            leads=setting.leads,
            stopping=setting.stop.is_set,
            policy=setting.policy,
            pause=setting.stop.wait,
            rng=random.Random(setting.seed),  # noqa: S311  # names and jitter, not secrets
        )

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The threads that end when the process is told to stop."""
        return ("plans", self.attempts.run), ("plan-triggers", self._triggered)

    @property
    def last_tasks(self) -> tuple[Task, ...]:
        """The threads that go on until the last plan is closed."""
        return ("plan-slot", self.slot.run), ("plan-replicas", self._prepare)

    def heard(self, change: Change) -> None:
        """Listen to the watch."""
        self._setting.sight.heard(change)
        self.triggers.heard(change)

    def once(self) -> Result | None:
        """Make the one attempt of a single run, at relief if the cycle asked for it; None where nothing is wanted."""
        if self._setting.policy().policy.plan.trigger != "off":
            self.desk.ask(Asked(trigger=ONCE))
        asked = self.desk.take(0.0, stop=self._setting.stop)
        if asked is None:
            return None
        try:
            return self.planner.attempt(asked, self._setting.policy(), self.desk)
        finally:
            self.desk.done()
            self._leave_nothing_open()

    def _leave_nothing_open(self) -> None:
        """Close what could not be closed at the first try: a single run does not come back to it."""
        for _ in range(_TRIES):
            if not self._setting.leads() or self.planner.ready() or self._setting.stop.wait(_AGAIN):
                return

    def details(self) -> dict[str, Any]:
        """Return how plans are doing, for the readiness page."""
        plan, held = self.planner.current, self.slot.held
        return {
            "trigger": self._setting.policy().policy.plan.trigger,
            "solving": self.desk.computing,
            "plan": None if plan is None else plan.name,
            "slot": None if held is None else held.plan,
            "replicas": [f"{one.name} {one.plan or 'obeys none'}" for one in self.replicas.live()],
        }

    def measure(self) -> None:
        """Bring the gauges up to date before they are read."""
        self.metrics.in_force.set(float(self.slot.held is not None))

    def close(self) -> None:
        """End what the solver keeps running; the threads have ended."""
        with self._opening:
            if self._solver is not None:
                self._solver[1].close()
            self._solver = None

    def _triggered(self, stop: threading.Event) -> None:
        self.triggers.run(stop)
        # The process ends: no solve and no wait may outlive it.
        self.desk.cancel()
        self.desk.wake()

    def _prepare(self, stop: threading.Event) -> None:
        """Have ready what the first plan needs: who lives of the replicas, and a solver that has started."""
        while not stop.is_set():
            if self._setting.policy().policy.plan.active:
                self._opened()
                self.replicas.look()
            stop.wait(1.0)

    def _opened(self) -> Solver:
        """Return the policy's solver, which stays open until the policy wants another one."""
        section = self._setting.policy().policy.plan
        with self._opening:
            return self._open(section)

    def _open(self, section: Plan) -> Solver:
        key = section.solver, section.command
        if self._solver is None or self._solver[0] != key:
            if self._solver is not None:
                self._solver[1].close()
            self._solver = key, open_solver(section, resident=True, folder=self._setting.failed_solves)
        return self._solver[1]
