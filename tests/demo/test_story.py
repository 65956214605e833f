"""The story on a scripted cluster: what it waits for, what it raises, where it breaks off."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import pytest

from demo.casting import Surge
from demo.displays import Clock
from demo.load import Pod
from demo.results import Memory, Results
from demo.sights import Decision, Move, NodeSight, Sight
from demo.story import Story
from tests.demo.scenery import decision, move, node, pod, sight

SOURCES = {"encoder": "node-1", "reports": "node-3"}
# What becomes of each surge: the pod that has to go, by the workload of the surge.
VICTIMS = {
    "encoder": move(pod="search-1-node-1", replacement="search-9", node="node-2"),
    "reports": move(pod="frontend-1-node-3", rule="soft-slo", source="node-3", replacement="frontend-9", node="node-9"),
}


def at_first() -> list[Pod]:
    """Return the pods before the story: one node to be hot, one to be slow, frontends on six."""
    pods = [pod("encoder", "node-1"), pod("search", "node-1"), pod("reports", "node-3")]
    return [*pods, *(pod("frontend", f"node-{number}") for number in range(3, 9)), *_fillers()]


def _fillers() -> list[Pod]:
    return [pod("cart", "node-12", number) for number in range(51)]


class Ticking(Clock):
    """A clock that sleeping moves."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


@dataclass
class Scripted:
    """A cluster in which every surge is followed, five looks later, by an eviction; `spoil` changes what is seen."""

    spoil: Callable[[Sight], Sight] = lambda seen: seen
    present: list[Pod] = field(default_factory=at_first)
    heated: list[Surge] = field(default_factory=list)
    moved: list[Move] = field(default_factory=list)
    looks: int = 0
    since: int = 0

    def look(self) -> Sight:
        """Return what is to be seen now."""
        self.looks += 1
        self.since += 1
        if self.heated and self.since == 5:
            self._evict(VICTIMS[self.heated[-1].pod.workload])
        troubled = self.heated[-1].pod.workload if self.heated and self.since < 8 else ""
        nodes = [self._node(f"node-{number}", troubled) for number in range(1, 13)]
        decided = (decision(kind="refused", rail="veto", pod="encoder-1-node-1"),) if self.heated else ()
        return self.spoil(sight(*nodes, cycles=self.looks, decisions=decided, moves=tuple(self.moved)))

    def pods(self) -> tuple[Pod, ...]:
        """Return the running pods."""
        return tuple(self.present)

    def heat(self, surge: Surge) -> None:
        """Let trouble begin."""
        self.heated.append(surge)
        self.since = 0

    def granted(self) -> tuple[str, ...]:
        """Return the pods that were evicted."""
        return tuple(one.pod for one in self.moved)

    def closed(self, move: Move) -> str:
        """Return why a node is refused."""
        return "steering" if move in self.moved else ""

    def _evict(self, victim: Move) -> None:
        (gone,) = [one for one in self.present if one.name == victim.pod]
        self.present.remove(gone)
        self.present.append(Pod(victim.replacement, gone.workload, victim.node))
        self.moved.append(victim)

    def _node(self, name: str, troubled: str) -> NodeSight:
        frontends = {one.node for one in self.present if one.workload == "frontend"}
        slack = 0.5 if name in frontends else None
        if troubled == "encoder" and name == SOURCES["encoder"]:
            return node(name, slack=slack, score=1.4, headroom=-0.4)
        if troubled == "reports" and name == SOURCES["reports"]:
            return node(name, slack=-0.4 if slack else None, score=0.84, headroom=0.16)
        return node(name, slack=slack)


@dataclass
class Recorded:
    """A display that keeps what it is told and shown."""

    told: list[str] = field(default_factory=list)
    new: list[Decision] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def tell(self, text: str) -> None:
        """Keep it."""
        self.told.append(text)

    def show(self, sight: Sight, memory: Memory | None, new: Sequence[Decision]) -> None:  # noqa: ARG002 - protocol
        """Keep what is new."""
        self.new += new


def tell(cluster: Scripted) -> tuple[Results, Recorded]:
    """Tell the story of a cluster."""
    display = Recorded()
    return Story(cluster, display, Ticking()).tell(), display


def test_story_that_goes_well_comes_true() -> None:
    cluster = Scripted()

    found, display = tell(cluster)

    assert found.failure == ""
    assert [check for check in found.checks if not check.true] == []
    assert found.came_true
    assert [surge.pod.name for surge in cluster.heated] == ["encoder-1-node-1", "reports-1-node-3"]
    assert (found.memory.before.score, found.memory.worst.score, found.after.score) == (0.5, 1.4, 0.5)
    assert found.memory.worst.slack == -0.4
    assert [one.pod for one in display.new] == ["encoder-1-node-1"]


def test_story_is_told_in_order() -> None:
    _, display = tell(Scripted())

    assert [text.split(":")[0].split(";")[0] for text in display.told] == [
        "calm. Waiting until every node is measured and the descheduler has looked",
        "node-1 turns hot",
        "node-1 is oversubscribed",
        "search-1-node-1 is evicted from node-1",
        "node-1 floats again",
        "its replacement search-9 runs on node-2",
        "node-3 gets busy",
        "the objective of 250 ms is missed on node-3",
        "frontend-1-node-3 is evicted from node-3",
        "every objective is kept again",
        "its replacement frontend-9 runs on node-9",
    ]


def unmeasured(seen: Sight) -> Sight:
    """Let one node be unknown."""
    return replace(seen, nodes=(replace(seen.nodes[0], confidence="unknown"), *seen.nodes[1:]))


def troubled(seen: Sight) -> Sight:
    """Let the descheduler be in trouble."""
    return replace(seen, troubles={"signals": "no Prometheus"})


def unrecorded(seen: Sight) -> Sight:
    """Let no record be there."""
    return replace(seen, moves=())


def unanswered(seen: Sight) -> Sight:
    """Let every record be an intent without an answer."""
    return replace(seen, moves=tuple(replace(one, state="Intent") for one in seen.moves))


def returned(seen: Sight) -> Sight:
    """Let every replacement come back."""
    return replace(seen, moves=tuple(replace(one, landing="Returned") for one in seen.moves))


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (unmeasured, "waited 90 s for every node and frontend measured, and three cycles; seen: fullest node node-1"),
        (troubled, "waited 90 s for every node and frontend measured.*; troubles: no Prometheus"),
        (unrecorded, "waited 90 s for an eviction from node-1 by the rule buoyancy.*decided: refused by veto: encoder"),
        (unanswered, "waited 90 s for an eviction from node-1 by the rule buoyancy"),
        (returned, "waited 90 s for the replacement of search-1-node-1 to be Ready elsewhere"),
    ],
)
def test_story_breaks_off_where_something_does_not_happen(spoil: Callable[[Sight], Sight], text: str) -> None:
    found, _ = tell(Scripted(spoil=spoil))

    assert not found.came_true
    assert found.checks == ()
    assert pytest.approx(90, abs=60) == found.seconds
    with pytest.raises(AssertionError, match=text):
        raise AssertionError(found.failure)


def test_story_breaks_off_without_a_stage() -> None:
    nobody = [one for one in at_first() if one.workload != "encoder"]

    found, _ = tell(Scripted(present=nobody))

    assert found.failure.startswith("no node has a pod of encoder")
    assert not found.came_true


def test_pod_of_somebody_else_that_is_evicted_too_makes_the_story_untrue() -> None:
    class Zealous(Scripted):
        def granted(self) -> tuple[str, ...]:
            return (*super().granted(), "cart-1")

    found, _ = tell(Zealous())

    assert [check.sentence[:31] for check in found.checks if not check.true] == ["the API server granted exactly "]
