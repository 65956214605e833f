"""One descheduler process put together: its threads, its ports, its beginning and its end; it decides nothing.

Everything comes in as an argument, so that a test runs a whole process on the in-memory API.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

from descheduler.cycle import Cycle
from descheduler.decisions import CycleResult
from descheduler.elector import Elector, Terms
from descheduler.eventing import EventWriter
from descheduler.ledger import LedgerKeeper
from descheduler.metrics import Metrics
from descheduler.planning.desk import Desk
from descheduler.planning.gate import Gate
from descheduler.planning.results import Result
from descheduler.planning.service import PlanService, PlanSetting, Task
from descheduler.planning.sights import ListedSight, WatchedSight
from descheduler.planning.tooling import Sight
from descheduler.probing import Pages, ProbeServer
from descheduler.reporting import Reporter
from descheduler.running import Runner
from descheduler.snapshots import ListedClusters, WatchedClusters
from descheduler.tooling import Clusters, Tools
from policies.model.loading import Loaded
from policies.model.policy import Policy
from policies.values import kinds
from policies.values.pods import Pod
from sources.clocks import Clock, SystemClock
from sources.garbage import COLLECTOR
from sources.kube.api import KubeApi
from sources.kube.cluster_watch import Change, ClusterWatch, WatchSettings
from sources.signals.reader import Inventory, OpenReader
from sources.supervising import Health, supervise

_JOIN_SECONDS: Final = 10.0


class OpenSignals(Protocol):
    """Opens the reader of a policy's signals; `inventory` tells whose series count."""

    def __call__(self, policy: Policy, inventory: Callable[[], Inventory], /) -> OpenReader:
        """Return a reader."""
        ...


class PolicySource(Protocol):
    """Where the policy comes from, which may change while we run."""

    @property
    def current(self) -> Loaded:
        """The policy in force."""
        ...

    @property
    def trouble(self) -> str | None:
        """What is wrong with its newest version, None where nothing is."""
        ...

    @property
    def reloaded(self) -> int:
        """How often another policy came into force."""
        ...

    @property
    def rejected(self) -> int:
        """How often a change was refused."""
        ...

    def run(self, stop: threading.Event) -> None:
        """Keep looking for a new version."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a process runs with. `holder` is unique to it; `interval` None means the policy's own step.

    `failed_solves` is where problems are kept whose answer the independent check refused, None: nowhere.
    """

    api: KubeApi
    policy: PolicySource
    open_signals: OpenSignals
    namespace: str
    holder: str
    clock: Clock = field(default_factory=SystemClock)
    stop: threading.Event = field(default_factory=threading.Event)
    interval: float | None = None
    seed: int = 0
    failed_solves: Path | None = None


class Process:
    """The process; `run_once` and `run_loop` are its two lives."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.metrics = Metrics()
        self.health = Health()
        self.elector = Elector(
            setting.api,
            Terms(namespace=setting.namespace, holder=setting.holder),
            clock=setting.clock,
            seed=setting.seed,
        )
        self._keeper = LedgerKeeper(
            setting.api, namespace=setting.namespace, writer=setting.holder, clock=setting.clock
        )
        self._watch: ClusterWatch | None = None
        self._gate = Gate()
        self._plans: PlanService | None = None
        self.planned: Result | None = None
        self._reader: tuple[str, OpenReader] | None = None
        self._inventory = Inventory()

    def run_once(self) -> CycleResult:
        """Run a single cycle, then make the one plan that the policy wants, and free the Lease.

        What became of the plan is in `planned`.

        Raises:
            NotLeading: the policy says enforce, and another process holds the Lease.
            ApiError: the cluster cannot be read at all.
        """
        api, clock = self.setting.api, self.setting.clock
        plans = self._planning(ListedSight(api, clock), dict)
        runner = self._runner(ListedClusters(api, clock), plans.desk)
        ended = threading.Event()
        # The policy is looked at here too: waiting for a budget may take minutes, in which somebody says stop.
        tasks = [
            *self._renewing(plans, until=ended),
            self._thread("policy", lambda: self.setting.policy.run(ended), stop=ended),
        ]
        for thread in tasks:
            thread.start()
        try:
            result = runner.once()
            self.planned = plans.once()
        finally:
            ended.set()
            self._leave(plans, tasks)
        return result

    def run_loop(self, *, host: str, port: int) -> None:
        """Run cycles until the stop event is set, then finish the write in hand and free the Lease."""
        stop = self.setting.stop
        settings = WatchSettings(health=self.health, clock=self.setting.clock)
        watch = self._watch = ClusterWatch(self.setting.api, settings=settings, on_change=self._heard)
        plans = self._plans = self._planning(
            WatchedSight(watch, self.setting.api, self.setting.clock), lambda: watch.values(kinds.PODS)
        )
        runner = self._runner(WatchedClusters(watch), plans.desk)
        probes = ProbeServer(Pages(metrics=self.exposition, readiness=self.readiness), host=host, port=port)
        # Lease and slot are renewed until the last write is done: their threads end after cycles and plans.
        done = threading.Event()
        last = self._renewing(plans, until=done)
        tasks = [
            self._thread("probes", lambda: probes.run(stop), stop=stop),
            self._thread("policy", lambda: self.setting.policy.run(stop), stop=stop),
        ]
        watch.start(stop)
        for thread in (*last, *tasks):
            thread.start()
        self._wait_until_synced()
        COLLECTOR.set_aside()
        planning = self._threads(plans.tasks, stop=stop)
        for thread in planning:
            thread.start()
        supervise("cycles", runner.loop, stop=stop, health=self.health, clock=self.setting.clock)
        for thread in planning:
            thread.join(_JOIN_SECONDS)
        done.set()
        self._leave(plans, [*last, *tasks])

    def _renewing(self, plans: PlanService, *, until: threading.Event) -> list[threading.Thread]:
        """Return the threads that keep Lease and slot, not started yet."""
        elector = self._thread("elector", lambda: self.elector.run(until), stop=until)
        return [elector, *self._threads(plans.last_tasks, stop=until)]

    def _leave(self, plans: PlanService, threads: Iterable[threading.Thread]) -> None:
        """Wait for the last threads, which were told to end, free the Lease, and let go of everything."""
        for thread in threads:
            thread.join(_JOIN_SECONDS)
        self.elector.release()
        self._close_reader()
        plans.close()

    def readiness(self) -> tuple[bool, dict[str, Any]]:
        """Tell whether the process can do its work, and in detail what is wrong; not leading is nothing wrong."""
        watch, reader, policy = self._watch, self._reader, self.setting.policy
        ready = watch is not None and watch.synced
        return ready, {
            "leading": self.elector.leads(),
            "policy": policy.current.hash,
            "policyTrouble": policy.trouble,
            "mode": policy.current.policy.eviction.mode,
            "unreadable": {} if watch is None else watch.troubles(),
            "signals": {} if reader is None else dict(reader[1].failures()),
            "plans": {} if self._plans is None else self._plans.details(),
            "tasks": self.health.troubles(),
        }

    def exposition(self) -> bytes:
        """Return the metrics."""
        changes = self.metrics.policy_changes
        changes.labels("taken").set(self.setting.policy.reloaded)
        changes.labels("refused").set(self.setting.policy.rejected)
        for name, task in self.health.tasks().items():
            self.metrics.task_restarts.labels(name).set(task.restarts)
        if self._plans is not None:
            self._plans.measure()
        return self.metrics.text()

    def _runner(self, clusters: Clusters, desk: Desk) -> Runner:
        setting = self.setting
        tools = Tools(
            api=setting.api,
            clusters=clusters,
            signals=self._signals,
            keeper=self._keeper,
            reporter=Reporter(setting.api, namespace=setting.namespace),
            events=EventWriter(setting.api, instance=setting.holder, clock=setting.clock),
            metrics=self.metrics,
            clock=setting.clock,
            leads=self.elector.leads,
            stopping=setting.stop.is_set,
            policy=lambda: setting.policy.current,
            pause=setting.stop.wait,
            own_namespace=setting.namespace,
            seed=setting.seed,
            gate=self._gate,
            ask=desk.ask,
            tell_plans=desk.tell,
        )
        return Runner(
            cycle=Cycle(tools),
            keeper=self._keeper,
            elector=self.elector,
            policy=lambda: setting.policy.current,
            metrics=self.metrics,
            clock=setting.clock,
            stop=setting.stop,
            interval=setting.interval,
        )

    def _planning(self, sight: Sight, pods: Callable[[], Mapping[str, Pod]]) -> PlanService:
        setting = self.setting
        made = PlanSetting(
            api=setting.api,
            namespace=setting.namespace,
            holder=setting.holder,
            policy=lambda: setting.policy.current,
            leads=self.elector.leads,
            sight=sight,
            pods=pods,
            registry=self.metrics.registry,
            clock=setting.clock,
            stop=setting.stop,
            seed=setting.seed,
            failed_solves=setting.failed_solves,
        )
        return PlanService(made, self._gate)

    def _heard(self, change: Change) -> None:
        if self._plans is not None:
            self._plans.heard(change)

    def _threads(self, tasks: Iterable[Task], *, stop: threading.Event) -> list[threading.Thread]:
        return [self._thread(name, partial(run, stop), stop=stop) for name, run in tasks]

    def _signals(self, loaded: Loaded, inventory: Inventory) -> OpenReader:
        """Return the reader of this policy; another policy gets another one, as its queries may differ."""
        self._inventory = inventory
        if self._reader is not None and self._reader[0] == loaded.hash:
            return self._reader[1]
        self._close_reader()
        reader = self.setting.open_signals(loaded.policy, lambda: self._inventory)
        self._reader = loaded.hash, reader
        return reader

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader[1].close()
            self._reader = None

    def _wait_until_synced(self) -> None:
        while self._watch is not None and not self._watch.synced and not self.setting.stop.wait(0.1):
            pass

    def _thread(self, name: str, run: Callable[[], None], *, stop: threading.Event) -> threading.Thread:
        def target() -> None:
            supervise(name, run, stop=stop, health=self.health, clock=self.setting.clock)

        return threading.Thread(target=target, name=name, daemon=True)
