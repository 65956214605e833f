"""Two schedulers ask while polls, watches and changes of the policy go on: no answer breaks its promises."""

import random
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from extender.board import Readings
from extender.codec import Victims
from extender.explaining import explain
from extender.following import Follower
from extender.judging import Judge, State
from extender.memory import Memory
from extender.rulings import Ruling
from policies.model.buoyancy import Buoyancy
from policies.model.policy import Policy
from policies.model.signals import ResourceSignal, Signals
from policies.values import kinds
from policies.values.pods import Owner
from sources.clocks import SystemClock
from sources.kube.cluster_watch import Change
from tests.builders import make_node, make_pod, make_resources
from tests.policies.placement.measured import make_history
from tests.policies.placement.test_steering import make_record

NODES = [f"n{number}" for number in range(60)]
CLOCK = SystemClock()


def make_ruling(number: int) -> Ruling:
    """Return one of a few policies that differ in resources, queries, limits and the use of slack."""
    resources = {"cpu": ResourceSignal(node=f"q{number % 2}", age="q", additive=True)}
    if number % 3:
        resources["llc"] = ResourceSignal(node="l", age="q")
    buoyancy = Buoyancy(max_refused_nodes=1.0 if number % 2 else 0.5)
    policy = Policy(
        api_version="bayplan.dev/v1alpha1", kind="Policy", signals=Signals(resources=resources), buoyancy=buoyancy
    )
    return Ruling.of(policy, digest=str(number), own_namespace="bayplan-system")


class Storm:
    """A replica's memory and everything that changes or reads it, each one step at a time."""

    def __init__(self) -> None:
        self.memory = memory = Memory.under(make_ruling(0))
        memory.census.nodes.update({name: make_node(name) for name in NODES})
        self.follow = Follower(memory=memory, clock=CLOCK)
        self.judge = Judge(
            State(
                rulings=memory.rulings,
                nodes=memory.board,
                ledger=memory.ledger,
                holding=memory.holding,
                clock=CLOCK,
                nudged=memory.nudged,
            )
        )

    def poll(self, chance: random.Random) -> None:
        """Take in measurements."""
        scores = {name: {"cpu": chance.random() * 1.3, "llc": chance.random()} for name in NODES}
        now = CLOCK.now()
        self.memory.board.take(Readings(history=make_history(scores, at=now)), now=now)

    def change_policy(self, chance: random.Random) -> None:
        """Put another policy in force."""
        old = self.memory.rulings.current.policy.signals
        self.memory.rulings.current = make_ruling(chance.randrange(6))
        self.memory.board.follow(old, now=CLOCK.now())

    def watch(self, chance: random.Random) -> None:
        """Let a pod come and go, and a node and a record change."""
        now = CLOCK.now()
        requests = make_resources(cpu=500)
        pod = make_pod(f"p{chance.randrange(99)}", node=chance.choice(NODES), bound_at=now, requests=requests)
        self.follow(Change(kinds.PODS, None, pod))
        self.follow(Change(kinds.PODS, pod, None))
        node = make_node(chance.choice(NODES))
        self.follow(Change(kinds.NODES, *chance.choice([(node, None), (None, node)])))
        self.follow(Change(kinds.RECORDS, None, replace(make_record(f"u{chance.randrange(5)}"), at=now)))

    def ask(self, chance: random.Random) -> None:
        """Ask all three verbs, as a scheduler does."""
        name = f"q{chance.randrange(9)}"
        pod = make_pod(name, node=None, owner=Owner("ReplicaSet", "web-7d4"), labels={"pod-template-hash": "7d4"})
        names = chance.sample(NODES, 20)
        decision = self.judge.filter(pod, names)
        refused = [node for nodes in decision.refused.values() for node in nodes]
        assert sorted([*decision.passed, *refused]) == sorted(names)
        assert all(type(score) is int and 0 <= score <= 10 for score in self.judge.prioritize(pod, names))
        candidates = {node: Victims(("u",), 0, {}) for node in names}
        assert len(self.judge.preempt(pod, candidates).kept) <= 1
        self.memory.holding.sweep(CLOCK.monotonic())

    def explain(self, _chance: random.Random) -> None:
        """Ask why."""
        explained = explain(make_pod("q1", node=None), NODES, judge=self.judge, nodes=self.memory.board)
        assert len(explained["nodes"]) == len(NODES)


@pytest.fixture
def hasty_switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.00005)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_switching")
def test_answers_keep_their_promises_whatever_happens_meanwhile() -> None:
    storm, stop, failures = Storm(), threading.Event(), list[Exception]()

    def repeat(step: Callable[[random.Random], None], seed: int) -> None:
        chance = random.Random(seed)
        try:
            while not stop.wait(0.001):
                step(chance)
        except Exception as problem:  # noqa: BLE001  # a thread cannot fail a test by itself
            failures.append(problem)

    steps = [storm.poll, storm.change_policy, storm.watch, storm.ask, storm.ask, storm.explain]
    threads = [threading.Thread(target=repeat, args=(step, seed)) for seed, step in enumerate(steps)]
    for thread in threads:
        thread.start()
    stop.wait(1.5)
    stop.set()
    for thread in threads:
        thread.join()

    assert failures == []
