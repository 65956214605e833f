"""What the demonstration has shown: figures before, at the worst and after, and whether the story came true; pure."""

import math
from dataclasses import dataclass, field

from demo.sights import Decision, Sight

# What makes a decision the same one in the next cycle: what became of it, the rail, the pod, the node.
Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The state of the cluster in a few figures; a score or slack that nobody knows is NaN."""

    score: float
    score_on: str
    slack: float
    slack_on: str
    oversubscribed: int
    closed: int
    breaching: int


def figures(sight: Sight) -> Figures:
    """Return the figures of one moment."""
    fullest, slowest = sight.fullest, sight.slowest
    return Figures(
        score=math.nan if fullest is None or fullest.score is None else fullest.score,
        score_on="" if fullest is None else fullest.name,
        slack=math.nan if slowest is None or slowest.slack is None else slowest.slack,
        slack_on="" if slowest is None else slowest.name,
        oversubscribed=sum(node.headroom is not None and node.headroom < 0 for node in sight.nodes),
        closed=sum(node.refused == "buoyancy" for node in sight.nodes),
        breaching=sum(node.slack is not None and node.slack < 0 for node in sight.nodes),
    )


def worse(one: Figures, other: Figures) -> Figures:
    """Return the worst of each figure of two moments, with the node that it was seen on."""
    hot = max(one, other, key=lambda seen: -math.inf if math.isnan(seen.score) else seen.score)
    slow = min(one, other, key=lambda seen: math.inf if math.isnan(seen.slack) else seen.slack)
    return Figures(
        score=hot.score,
        score_on=hot.score_on,
        slack=slow.slack,
        slack_on=slow.slack_on,
        oversubscribed=max(one.oversubscribed, other.oversubscribed),
        closed=max(one.closed, other.closed),
        breaching=max(one.breaching, other.breaching),
    )


@dataclass
class Memory:
    """What was seen from the beginning of the story on: the worst figures, and each decision with its cycles."""

    before: Figures
    worst: Figures
    last: Sight
    decided: dict[Key, tuple[Decision, int]] = field(default_factory=dict)

    def see(self, sight: Sight) -> list[Decision]:
        """Take a moment in; return the decisions that were not seen before, each counted once a cycle.

        Refusals come first, as they were made: the report has victims first, so that it may be cut.
        """
        fresh = sight.cycles != self.last.cycles
        self.worst = worse(self.worst, figures(sight))
        self.last = sight
        as_made = sorted(sight.decisions, key=lambda decision: decision.kind != "refused")
        found = {_key(decision): decision for decision in as_made} if fresh else {}
        new = [decision for key, decision in found.items() if key not in self.decided]
        for key, decision in found.items():
            first, cycles = self.decided.get(key, (decision, 0))
            self.decided[key] = (first, cycles + 1)
        return new

    def refused(self, pod: str, rail: str) -> bool:
        """Return whether a pod was seen to be refused by a rail."""
        return any(decision.pod == pod and decision.rail == rail for decision, _ in self.decided.values())


def remember(sight: Sight) -> Memory:
    """Begin with the calm."""
    return Memory(before=figures(sight), worst=figures(sight), last=sight)


@dataclass(frozen=True, slots=True)
class Check:
    """One sentence of the story and whether it came true; `seen` is what was seen."""

    sentence: str
    true: bool
    seen: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The end of the story. `failure` says what did not happen in time, if the story broke off."""

    memory: Memory
    after: Figures
    checks: tuple[Check, ...]
    seconds: float
    failure: str = ""

    @property
    def came_true(self) -> bool:
        """Whether everything happened as told."""
        return not self.failure and bool(self.checks) and all(check.true for check in self.checks)


def _key(decision: Decision) -> Key:
    return decision.kind, decision.rail, decision.pod, decision.node
