"""One pass of the descheduler: observe, verify, propose, check, re-validate and act, tell.

Only the order is here. Every decision comes from `policies`; every write goes through the evictor, the ledger's keeper,
the reporter or the event writer.
"""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from descheduler import acting, decisions, evictor, measuring, observing, recording, telling, verifying
from descheduler.acting import Attempt, Hands, Orders
from descheduler.decisions import CycleResult
from descheduler.evictor import ApiEvictor, RecordingEvictor, barring
from descheduler.ledger import Ledger, LedgerUnreadable
from descheduler.observing import Scene
from descheduler.planning.desk import of_relief
from descheduler.planning.problems.measured import measured
from descheduler.proposing import Landed, inventory_of, measured_again, propose, stuck
from descheduler.rechecking import Recheck
from descheduler.tooling import Tools
from policies import checking
from policies.model.loading import Loaded
from policies.values.candidates import Outcome, Proposal
from policies.values.clusters import Cluster
from policies.values.pods import Pod
from policies.values.records import EvictionRecord
from policies.values.signals import Grid
from sources.garbage import COLLECTOR
from sources.signals.reader import Inventory, SignalReader


class Cycle:
    """Runs passes one after the other; remembers nothing but what it has logged."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._teller = telling.Teller()
        self._counted: tuple[Mapping[str, Pod], Inventory] | None = None
        self._rng = random.Random(tools.seed)  # noqa: S311  # jitter against retries in step, not a secret

    def run(self, loaded: Loaded) -> CycleResult:
        """Make one pass under this policy and return what it did."""
        began = self._tools.clock.monotonic()
        # What is read lives until the cycle's end: looking through it meanwhile finds nothing to collect.
        with COLLECTOR.paused():
            scene = self._observe(loaded)
            with self._timed("verify"):
                scene, landed = self._verify(scene)
            scene, outcomes = self._decide(scene, loaded)
        with self._timed("act"):
            attempts = self._act(outcomes, scene, loaded, at=began)
        with self._timed("plans"):
            self._serve_plans(outcomes, scene, loaded, at=began)
        result = CycleResult(
            at=scene.cluster.now,
            mode=loaded.policy.eviction.mode,
            policy_hash=loaded.hash,
            leading=self._tools.leads(),
            duration=self._tools.clock.monotonic() - began,
            decisions=decisions.decisions_of(outcomes, attempts),
            landed=landed,
            troubles=scene.troubles,
        )
        with self._timed("tell"):
            self._tell(result, scene)
        return result

    # ------------------------------------------------------------------ observe

    def _observe(self, loaded: Loaded) -> Scene:
        tools = self._tools
        with self._timed("ledger"):
            ledger = self.settle()
        with self._timed("snapshot"):
            cluster, known = observing.on_one_clock(tools.clusters.snapshot(), ledger)
        return self._evaluate(cluster, known, loaded)

    def _evaluate(self, cluster: Cluster, known: Ledger, loaded: Loaded) -> Scene:
        """Read the signals of this moment, and compute what follows from them."""
        policy, reader = loaded.policy, self._reader(cluster, loaded)
        with self._timed("signals"):
            history = reader.history(cluster.now, span=policy.history_span)
        with self._timed("evaluate"):
            scene = observing.evaluate(cluster, known, history, policy)
        with self._timed("signals"):
            use = self._pod_use(scene, loaded)
        with self._timed("evaluate"):
            return scene.with_pod_use(use)

    def _pod_use(self, scene: Scene, loaded: Loaded) -> Mapping[str, Grid]:
        """Ask what pods take, of the few that it matters of: of ten thousand, all others' series are passed over."""
        if not scene.wanted:
            return {}
        few = Inventory(nodes=scene.cluster.nodes, pods=scene.compared)
        reader = self._tools.signals(loaded, few)
        return {name: reader.pods(name, scene.cluster.now) for name in scene.wanted}

    def _reader(self, cluster: Cluster, loaded: Loaded) -> SignalReader:
        """Return the reader of a policy, told whose series count; the pods of one snapshot are gone through once."""
        with self._timed("snapshot"):
            if self._counted is None or self._counted[0] is not cluster.pods:
                self._counted = cluster.pods, inventory_of(cluster)
            return self._tools.signals(loaded, self._counted[1])

    def _decide(self, scene: Scene, loaded: Loaded) -> tuple[Scene, tuple[Outcome, ...]]:
        """Let the rules propose and check what they propose; the scene knows of room then, where it was looked for."""
        with self._timed("decide"):
            proposals = propose(scene)
        if any(proposal.candidates for proposal in proposals):
            scene = self._look_for_room(scene, loaded)
        with self._timed("decide"):
            return scene, self._check(proposals, scene)

    def _look_for_room(self, scene: Scene, loaded: Loaded) -> Scene:
        """Compute how the nodes stand as destinations: a cycle without candidates is spared that."""
        use = self._workload_use(scene, loaded)
        with self._timed("evaluate"):
            return scene.with_standings(use)

    def _workload_use(self, scene: Scene, loaded: Loaded) -> Mapping[str, Grid]:
        resources = scene.policy.signals.resources
        wanted = [name for name, one in resources.items() if one.additive and one.workload is not None]
        reader = self._reader(scene.cluster, loaded)
        with self._timed("signals"):
            return {name: reader.workloads(name, scene.cluster.now) for name in wanted}

    def settle(self) -> Ledger | LedgerUnreadable:
        """Read the ledger and close what this process left open in it."""
        keeper = self._tools.keeper
        try:
            return keeper.settle(keeper.read(), runs=self._runs)
        except LedgerUnreadable as error:
            return error

    def _runs(self, record: EvictionRecord) -> bool | None:
        pod = Pod(namespace=record.namespace, name=record.pod, uid=record.pod_uid)
        return evictor.still_runs(self._tools.api, pod)

    # ------------------------------------------------------------------ verify what earlier runs did

    def _verify(self, scene: Scene) -> tuple[Scene, Landed]:
        """Write what became of earlier evictions, whoever asked for them; only the leader writes."""
        if not self._tools.leads():
            return scene, ()
        eviction = scene.policy.eviction
        patience = verifying.Patience(ready_for=eviction.ready_for, timeout=eviction.landing_timeout)
        records, now = scene.ledger.records, scene.cluster.now
        news = verifying.verify(records, scene.cluster, patience)
        written = [
            (record, seen) for record, seen in (*news, *measured_again(scene)) if self._tools.keeper.land(record, seen)
        ]
        scene = scene.with_records(tuple(replace(record, verification=seen) for record, seen in written))
        self._tools.keeper.forget(recording.forgettable(scene.ledger.records, scene.policy, now=now))
        closed = (pair for pair in written if recording.is_open(pair[0]))
        return scene, tuple(
            (record, seen) for record, seen in closed if seen.landing is not record.verification.landing
        )

    # ------------------------------------------------------------------ check, re-validate, act

    def _check(self, proposals: tuple[Proposal, ...], scene: Scene) -> tuple[Outcome, ...]:
        situation = scene.situation(own_namespace=self._tools.own_namespace)
        return checking.choose(proposals, situation, scene.standings, scene.troubled)

    def _act(self, outcomes: tuple[Outcome, ...], scene: Scene, loaded: Loaded, *, at: float) -> tuple[Attempt, ...]:
        tools = self._tools
        victims = [outcome.victim for outcome in outcomes if outcome.victim is not None]

        def outdated() -> bool:
            return tools.policy().hash != loaded.hash

        barred = barring(leads=tools.leads, stopping=tools.stopping, outdated=outdated)
        orders = Orders(
            observing=scene.observing,
            evictor=RecordingEvictor(tools.api) if scene.observing else ApiEvictor(tools.api, barred=barred),
            retry_for=scene.policy.eviction.retry_for,
            good_for=scene.policy.signals.stale_after,
            draft=lambda victim: acting.draft_of(victim, policy_hash=loaded.hash),
        )
        hands = Hands(
            keeper=tools.keeper,
            leads=tools.leads,
            stopping=tools.stopping,
            outdated=outdated,
            pause=tools.pause,
            clock=tools.clock,
            rng=self._rng,
        )

        def again(cluster: Cluster, known: Ledger) -> Scene:
            return self._look_for_room(self._evaluate(cluster, known, loaded), loaded)

        with tools.gate.single() as refusal:
            if refusal is not None:
                return tuple(Attempt(victim=victim, refusal=refusal) for victim in victims)
            revalidate = Recheck(tools, scene, again, at=at)
            return acting.act(victims, orders=orders, hands=hands, revalidate=revalidate)

    # ------------------------------------------------------------------ relief by a plan

    def _serve_plans(self, outcomes: tuple[Outcome, ...], scene: Scene, loaded: Loaded, *, at: float) -> None:
        """Tell plans how the nodes stand, and ask for one for the victims that nobody would take singly.

        `at` (monotonic seconds) is when the cycle began to look: acting may have taken minutes since.
        """
        plan = scene.policy.plan
        if not plan.active or scene.world is None:
            return
        workloads = self._workload_use(scene, loaded)
        known = scene if scene.standings else scene.with_standings(workloads)
        if plan.trigger != "off":
            self._tools.tell_plans(measured(known, pods={}, workloads=workloads), at=at)
        candidates = [uids for outcome in outcomes if (uids := stuck(outcome))]
        if candidates and plan.relief:
            pods = self._additive_use(known, loaded)
            self._tools.ask(of_relief(candidates, measured(known, pods=pods, workloads=workloads), at=at))

    def _additive_use(self, scene: Scene, loaded: Loaded) -> Mapping[str, Grid]:
        """Ask what every pod takes of the resources that add up: who leaves a hot node takes his load along."""
        reader, resources = self._reader(scene.cluster, loaded), scene.policy.signals.resources
        wanted = [name for name, one in resources.items() if one.additive and one.pod is not None]
        return {name: reader.pods(name, scene.cluster.now) for name in wanted}

    # ------------------------------------------------------------------ tell

    def _tell(self, result: CycleResult, scene: Scene) -> None:
        tools = self._tools
        self._teller.log(result)
        tools.events.tell(telling.notices(result, scene.cluster))
        situation = scene.situation(own_namespace=tools.own_namespace)
        measuring.measure(tools.metrics, scene, result, situation=situation)
        if tools.leads():
            tools.reporter.write(result)

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        began = self._tools.clock.monotonic()
        yield
        self._tools.metrics.cycle_seconds.labels(step).observe(self._tools.clock.monotonic() - began)
