"""One replica of the extender put together: its memory, its background tasks, its two applications; decides nothing.

Built after the fork of the serving process, as threads do not survive one.
"""

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from flask import Flask

from extender.admin import AdminServer, create_admin_app
from extender.app import create_app
from extender.explaining import explain
from extender.following import Follower, watched_kinds
from extender.gauges import Gauges
from extender.judging import Judge, State
from extender.memory import Memory
from extender.opening import Opening
from extender.plans import PlanWord
from extender.polling import Ager, Poller, Sources
from extender.readiness import Readiness
from extender.replica_lease import Replica, ReplicaLease
from extender.rulings import Ruling
from extender.waking import OwnPod, Waker
from policies.model.loading import Loaded
from sources.clocks import Clock, SystemClock
from sources.kube.api import KubeApi
from sources.kube.cluster_watch import ClusterWatch, WatchSettings
from sources.kube.decoding.pods import decode_lean_pod
from sources.kube.decoding.tolerant import MalformedObject, tolerant
from sources.kube.errors import ApiError
from sources.kube.server_time import ServerTime, TimedApi
from sources.policy_file import PolicyFile
from sources.signals.reader import Inventory
from sources.supervising import Health, supervise

Task = Callable[[threading.Event], None]
# While a thread computes, a request waits this long at each of its steps. Python's own 5 ms would make a tail of 20 ms.
_SWITCH_EVERY: Final = 0.0005
# A call about 5,000 nodes makes 5,000 objects and drops them: no reason to look for cycles. Whole passes are our own.
_COLLECT: Final = (50_000, 20, 1_000_000)
_SETTLE_EVERY: Final = 60.0
_PLANS_EVERY: Final = 0.1
# A replica that says of no plan that it obeys it ends the plan, so one that was just restarted looks first.
_KNOWS_WITHIN: Final = 1.0
_LOOKS_EVERY: Final = 0.02
# Two missed bookmarks and a half: what was not heard from for longer may be wrong.
_SILENT_FOR: Final = 150.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a replica is started with.

    `identity` is its pod's name, or the host's where there is no pod. `close` ends the API's open watches, so that
    their threads come back. `tls_trouble` says why kube-scheduler cannot connect now, nothing where it can.
    """

    api: KubeApi
    policy_file: PolicyFile
    open_sources: Callable[[Opening], Sources]
    namespace: str
    identity: str
    close: Callable[[], None]
    tls_trouble: Callable[[], str] = str
    admin_host: str = "127.0.0.1"
    admin_port: int = 0
    clock: Clock = field(default_factory=SystemClock)


class Service:
    """One replica: `start` begins its tasks, `drain` takes it out of readiness, `stop` ends the tasks."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._stopping = threading.Event()
        self._draining = threading.Event()
        self._threads: list[threading.Thread] = []
        self.health = Health()
        self.memory = Memory.under(self._ruling(around.policy_file.current))
        self._clock = ServerTime(around.clock)
        self._api = TimedApi(around.api, self._clock)
        pod = OwnPod(around.namespace, around.identity)
        self._waker = Waker(self._api, pod, self.memory, clock=self._clock)
        sources = self._open(around.policy_file.current)
        self._poller = Poller(self.memory, sources, clock=self._clock, asks_at=self._clock.latest)
        self._watch = self._follow()
        replica = Replica(around.namespace, around.identity)
        self._lease = ReplicaLease(self._api, replica, clock=self._clock, word=self._make_word())
        self._judge = self._make_judge()
        self.readiness = self._make_readiness()
        self.memory.meters.registry.register(Gauges(self.memory, around.policy_file, clock=self._clock))
        self.app: Flask = create_app(self._judge, self.memory.meters, clock=around.clock)
        admin = create_admin_app(self.readiness, self.memory.meters.registry, self.explain)
        self.admin = AdminServer(admin, host=around.admin_host, port=around.admin_port)

    def start(self) -> None:
        """Begin to watch, poll, renew and serve the second listener, in threads."""
        sys.setswitchinterval(_SWITCH_EVERY)
        self._around.policy_file.listen(self.use_policy)
        self._watch.start(self._stopping)
        for name, task in self._tasks().items():
            thread = threading.Thread(target=self._supervise, args=(name, task), name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def drain(self) -> None:
        """Say that this replica is not to be asked any more; it still answers."""
        self._draining.set()

    def stop(self, *, within: float = 1.0) -> None:
        """End all tasks."""
        self._draining.set()
        self._stopping.set()
        for thread in self._threads:
            thread.join(within)
        self._poller.sources.close()
        self._around.close()
        self._watch.join(within)

    def explain(self, namespace: str, name: str) -> dict[str, Any] | None:
        """Say what the filter and the score would answer for a pod on every known node; None without such a pod."""
        path = f"/api/v1/namespaces/{namespace}/pods/{name}"
        try:
            pod = tolerant(decode_lean_pod, self._api.request("GET", path, timeout=5.0).body)
        except (ApiError, MalformedObject):
            return None
        known = explain(pod, list(self.memory.census.nodes), judge=self._judge, nodes=self.memory.board)
        return known | {"policyHash": self.memory.rulings.current.digest}

    def use_policy(self, loaded: Loaded) -> None:
        """Put a changed policy in force: its queries are opened anew, everything known is judged anew."""
        old, self._poller.sources = self._poller.sources, self._open(loaded)
        signals = self.memory.rulings.current.policy.signals
        self.memory.rulings.current = self._ruling(loaded)
        self._poller.hurry()
        self.memory.board.follow(signals, now=self._clock.now())
        self.memory.nudged.set()
        old.close()

    def _tasks(self) -> dict[str, Task]:
        return {
            "admin": self.admin.run,
            "age": Ager(self.memory, clock=self._clock).run,
            "lease": self._keep_lease,
            "plans": self._let_time_pass,
            "poll": self._poll,
            "policy": self._around.policy_file.run,
            "settle": self._settle,
            "wake": self._waker.run,
        }

    def _supervise(self, name: str, task: Task) -> None:
        stop = self._stopping
        supervise(name, lambda: task(stop), stop=stop, health=self.health, clock=self._around.clock)

    def _poll(self, stop: threading.Event) -> None:
        """Poll once the nodes are known: before, no series is of a node, and the next poll is a whole step away."""
        self._await_sync(stop)
        if not stop.is_set():
            self._poller.poll()
            self._waker.wake_strangers()
            self._poller.run(stop)

    def _keep_lease(self, stop: threading.Event) -> None:
        """Keep the Lease, once everything is known or is long in coming: a quick restart says no plan is lost."""
        ends = self._around.clock.monotonic() + _KNOWS_WITHIN
        while not self._watch.synced and self._around.clock.monotonic() < ends and not stop.wait(_LOOKS_EVERY):
            pass
        self._lease.run(stop)

    def _let_time_pass(self, stop: threading.Event) -> None:
        while not stop.wait(_PLANS_EVERY):
            self.memory.plans.step(self._clock.monotonic())

    def _await_sync(self, stop: threading.Event) -> None:
        while not self._watch.synced and not stop.wait(0.1):
            pass

    def _settle(self, stop: threading.Event) -> None:
        """Keep the collector's passes short: what lasts is taken out of its sight, or a pass stops every request."""
        self._await_sync(stop)
        gc.set_threshold(*_COLLECT)
        while True:
            gc.collect()
            gc.freeze()
            if stop.wait(_SETTLE_EVERY):
                return

    def _ruling(self, loaded: Loaded) -> Ruling:
        return Ruling.of(loaded.policy, digest=loaded.hash, own_namespace=self._around.namespace)

    def _open(self, loaded: Loaded) -> Sources:
        census = self.memory.census
        return self._around.open_sources(
            Opening(
                policy=loaded.policy,
                inventory=lambda: Inventory(nodes=census.nodes),
                pods=census.pods,
                health=self.health,
                clock=self._clock,
            )
        )

    def _follow(self) -> ClusterWatch:
        settings = WatchSettings(
            kinds=watched_kinds(self._around.namespace),
            server_time=self._clock,
            health=self.health,
            clock=self._around.clock,
        )
        return ClusterWatch(self._api, settings=settings, on_change=Follower(memory=self.memory, clock=self._clock))

    def _make_judge(self) -> Judge:
        memory = self.memory
        return Judge(
            State(
                rulings=memory.rulings,
                nodes=memory.board,
                ledger=memory.ledger,
                holding=memory.holding,
                plans=memory.plans,
                clock=self._clock,
                nudged=memory.nudged,
            )
        )

    def _make_word(self) -> PlanWord:
        return PlanWord(self.memory.plans, synced=lambda: self._watch.synced, clock=self._clock)

    def _make_readiness(self) -> Readiness:
        return Readiness(
            rulings=self.memory.rulings,
            health=self.health,
            conditions={
                "nodes and pods are known": lambda: self._watch.synced and self._watch.stale_for() < _SILENT_FOR,
                "own Lease is renewed": lambda: self._lease.fresh,
                "TLS files can be used": lambda: not self._around.tls_trouble(),
                "not stopping": lambda: not self._draining.is_set(),
            },
            remarks=self._remarks,
            plan=lambda: self.memory.plans.orders.version,
        )

    def _remarks(self) -> Iterator[str]:
        yield from self.memory.plans.orders.remarks()
        yield from (f"{kind}: {words}" for kind, words in self._watch.troubles().items())
        yield from (f"{query}: {words}" for query, words in self.memory.board.readings.history.failures.items())
        yield from (f"{query}: {words}" for query, words in self._poller.sources.troubles().items())
        troubles = (self._around.policy_file.trouble, self._waker.trouble, self._lease.trouble)
        yield from (text for text in (*troubles, self._around.tls_trouble()) if text)
