"""The pace of polls, and what happens between them."""

import math
import threading

import pytest

from extender.memory import Memory
from extender.polling import Ager, Poller, Sources
from extender.rulings import Ruling
from policies.buoyancy.standing import NodeSlacks
from policies.model.policy import Policy
from policies.model.signals import ResourceSignal, Signals
from policies.values.signals import SignalHistory
from policies.values.standings import Confidence
from simulator.clock import ManualClock, SteppingEvent
from tests.builders import make_node
from tests.policies.placement.measured import make_history


class FakeSource:
    """Nodes with this much use; records when it was asked, can be told how long an answer takes and to fail."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.cpu = 0.95
        self.slack = NodeSlacks()
        self.trouble: dict[str, str] = {}
        self.takes = 0.0
        self.failure: Exception | None = None
        self.asked: list[float] = []

    def latest(self, at: float) -> SignalHistory:
        """Return the use of n1."""
        self.asked.append(self.clock.monotonic())
        self.clock.advance(self.takes)
        if self.failure is not None:
            raise self.failure
        return make_history({"n1": {"cpu": self.cpu}}, at=at)

    def newest(self) -> NodeSlacks:
        """Return the slack of n1."""
        return self.slack

    def failures(self) -> dict[str, str]:
        """Return what is wrong with the slacks."""
        return self.trouble


def make_memory() -> Memory:
    signals = Signals(resources={"cpu": ResourceSignal(node="q", age="q", additive=True)})
    policy = Policy(api_version="bayplan.dev/v1alpha1", kind="Policy", signals=signals)
    memory = Memory.under(Ruling.of(policy, digest="abc", own_namespace="bayplan-system"))
    memory.census.nodes["n1"] = make_node("n1")
    return memory


def make_poller(clock: ManualClock) -> tuple[Poller, Memory, FakeSource]:
    memory, source = make_memory(), FakeSource(clock)
    return Poller(memory, Sources(signals=source, slacks=source), clock=clock), memory, source


def test_signals_are_read_every_step(clock: ManualClock) -> None:
    poller, memory, source = make_poller(clock)

    poller.run(SteppingEvent(clock, stop_at=40.0))

    assert source.asked == [0.0, 15.0, 30.0]
    assert memory.board.ratings.below.keys() == {"n1"}


def test_sources_are_asked_about_a_moment_of_their_own_clock(clock: ManualClock) -> None:
    memory, source = make_memory(), FakeSource(clock)
    sources = Sources(signals=source, slacks=source)

    Poller(memory, sources, clock=clock, asks_at=lambda: clock.now() + 0.7).poll()

    assert memory.board.readings.history.times[-1] == clock.now() + 0.7


def test_what_was_read_for_a_policy_that_was_replaced_meanwhile_is_dropped(clock: ManualClock) -> None:
    poller, memory, old = make_poller(clock)
    new = FakeSource(clock)
    new.cpu = 0.2

    def replaced(at: float) -> SignalHistory:
        poller.sources = Sources(signals=new)
        poller.hurry()
        return make_history({"n1": {"cpu": 0.95}}, at=at)

    old.latest = replaced  # type: ignore[method-assign]  # the policy changes while this answer is waited for
    poller.poll()
    assert not memory.board.ratings.below

    poller.run(SteppingEvent(clock, stop_at=0.5))

    assert new.asked == [0.0]
    assert memory.board.ratings.scores == {"n1": 8}


def test_while_a_pod_sleeps_signals_are_read_every_second(clock: ManualClock) -> None:
    poller, memory, source = make_poller(clock)
    memory.holding.refuse("u", now=0.0, until=300.0, asleep=True, wakes=300.0)

    poller.run(SteppingEvent(clock, stop_at=3.5))

    assert source.asked == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(("takes", "asked"), [(0.4, [0.0, 1.0, 2.0, 3.0]), (1.5, [0.0, 3.0, 6.0, 9.0])])
def test_a_slow_source_is_asked_for_half_of_the_time_at_most(
    clock: ManualClock, takes: float, asked: list[float]
) -> None:
    poller, memory, source = make_poller(clock)
    memory.holding.refuse("u", now=0.0, until=300.0, asleep=True, wakes=300.0)
    source.takes = takes

    poller.run(SteppingEvent(clock, stop_at=10.0))

    assert source.asked[:4] == pytest.approx(asked)


def test_one_slow_poll_does_not_delay_the_next_while_pods_sleep(clock: ManualClock) -> None:
    poller, memory, source = make_poller(clock)
    source.takes = 3.0  # the first one starts the child that reads
    poller.poll()
    source.takes = 0.1
    memory.holding.refuse("u", now=clock.monotonic(), until=300.0, asleep=True, wakes=300.0)

    poller.run(SteppingEvent(clock, stop_at=9.5))

    assert source.asked == pytest.approx([0.0, 6.0, 7.0, 8.0, 9.0])


def test_values_become_stale_in_time_although_a_poll_hangs(clock: ManualClock) -> None:
    poller, memory, _source = make_poller(clock)
    poller.poll()
    ager = Ager(memory, clock=clock)

    ager.run(SteppingEvent(clock, stop_at=49.9))
    assert memory.board.ratings.below.keys() == {"n1"}

    ager.run(SteppingEvent(clock, stop_at=50.2))
    standing = memory.board.standing("n1")
    assert standing is not None
    assert standing.confidence is Confidence.UNKNOWN


def test_what_has_become_stale_is_not_computed_again_and_again(clock: ManualClock) -> None:
    poller, memory, _source = make_poller(clock)
    poller.poll()
    clock.advance(50.5)

    Ager(memory, clock=clock).step()

    assert memory.board.expires() == math.inf
    assert Ager(memory, clock=clock).pause() == 1.0


def test_the_moment_at_which_a_value_becomes_stale_is_not_slept_through(clock: ManualClock) -> None:
    poller, memory, _source = make_poller(clock)
    poller.poll()
    clock.advance(49.7)

    assert Ager(memory, clock=clock).pause() == pytest.approx(0.3)


def test_slack_comes_from_whoever_folds_it(clock: ManualClock) -> None:
    poller, memory, source = make_poller(clock)
    source.cpu, source.slack = 0.2, NodeSlacks(any={"n1": -0.3}, verified={"n1": -0.3})

    poller.poll()

    assert memory.board.ratings.scores == {"n1": 0}
    assert memory.board.ratings.below == {}


def test_a_changed_policy_is_polled_for_at_once(clock: ManualClock) -> None:
    poller, _memory, source = make_poller(clock)
    poller.poll()
    clock.advance(1.0)

    poller.hurry()
    poller.run(SteppingEvent(clock, stop_at=2.0))

    assert source.asked == [0.0, 1.0]


def test_it_ends_when_told_to(clock: ManualClock) -> None:
    poller, _memory, source = make_poller(clock)
    stop = threading.Event()
    stop.set()

    poller.run(stop)

    assert source.asked == []
