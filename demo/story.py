"""The story: calm, a hot node, a slow service, calm again. It raises load and waits; every decision is Bayplan's."""

from collections.abc import Callable, Collection
from typing import Final, Protocol

from demo import casting, checks, results
from demo.casting import Surge
from demo.checks import Ending, Relief
from demo.displays import Clock, Display, sentence, status
from demo.load import Pod
from demo.results import Check, Figures, Memory, Results
from demo.sights import Decision, Move, Sight
from demo.workloads import FRONTEND, PODS, VETO

_LOOK_SECONDS: Final = 0.7
_PAUSE_SECONDS: Final = 6.0
# Ten times what a chapter takes on a quiet machine; a machine that is slower has other troubles.
_PATIENCE: Final = 90.0
_FEWEST_CYCLES: Final = 3
# Where the policy lets a node's trouble end.
_CLEAR: Final = 0.05


class StoryError(RuntimeError):
    """Something did not happen in time; the text says what was waited for and what was seen instead."""


class Cluster(Protocol):
    """What the story needs of the cluster; `watching.Watcher` is the real one."""

    def look(self) -> Sight:
        """Return what is to be seen now."""
        ...

    def pods(self) -> tuple[Pod, ...]:
        """Return the running pods."""
        ...

    def heat(self, surge: Surge) -> None:
        """Let a pod want more from now on."""
        ...

    def granted(self) -> tuple[str, ...]:
        """Return the pods whose eviction the API server granted."""
        ...

    def closed(self, move: Move) -> str:
        """Return why the extender refuses the node that was left to the replacement; empty if it does not."""
        ...


class Story:
    """Tells the story of a cluster and shows it."""

    def __init__(self, cluster: Cluster, display: Display, clock: Clock) -> None:
        self._cluster = cluster
        self._display = display
        self._clock = clock
        self._memory: Memory | None = None

    def tell(self) -> Results:
        """Tell it to its end, or to where it breaks off."""
        try:
            self._calm()
            hot = self._hot_node()
            self._pause()
            slow = self._slow_service(besides={hot.move.source, hot.move.node})
            self._pause()
        except (StoryError, casting.NoStageError) as error:
            return self._results(failure=str(error))
        return self._results(hot, slow)

    # ------------------------------------------------------------------ chapters

    def _calm(self) -> None:
        self._display.tell("calm. Waiting until every node is measured and the descheduler has looked")
        self._until(_is_measured, "every node and frontend measured, and three cycles")
        self._pause()
        self._memory = results.remember(self._look())

    def _hot_node(self) -> Relief:
        surge = casting.heat(self._cluster.pods())
        node, pod = surge.pod.node, surge.pod.name
        self._heat(
            surge,
            f"{node} turns hot: {pod} wants {surge.cores:.1f} cores more, {surge.ratio:.0%} of the node is wanted now. "
            f"Its owner vetoes evictions ({VETO}: false)",
        )
        self._until(lambda sight: _less(sight.headroom(node), 0.0), f"{node} to be oversubscribed")
        self._display.tell(f"{node} is oversubscribed: new pods are refused; if it lasts, somebody has to go")
        move = self._evicted(node, rule="buoyancy")
        self._until(lambda sight: _less(_CLEAR, sight.headroom(node)), f"{node} to float again")
        self._display.tell(f"{node} floats again")
        return Relief(surge, self._landed(move))

    def _slow_service(self, *, besides: Collection[str]) -> Relief:
        surge = casting.slow(self._cluster.pods(), besides=besides)
        node, pod = surge.pod.node, surge.pod.name
        self._heat(
            surge,
            f"{node} gets busy: {pod} wants {surge.cores:.1f} cores more, {surge.ratio:.0%} of the node is wanted now. "
            f"It is not oversubscribed, but its {FRONTEND.name} gets slow",
        )
        self._until(lambda sight: _less(sight.slack(node), 0.0), f"the objective to be missed on {node}")
        self._display.tell(f"the objective of 250 ms is missed on {node}; if it lasts, the one who suffers has to go")
        move = self._evicted(node, rule="soft-slo")
        self._until(_is_kept, "every objective to be kept again")
        self._display.tell("every objective is kept again")
        return Relief(surge, self._landed(move))

    def _heat(self, surge: Surge, text: str) -> None:
        self._display.tell(text)
        self._cluster.heat(surge)

    def _evicted(self, node: str, *, rule: str) -> Move:
        def accepted(sight: Sight) -> list[Move]:
            return [one for one in sight.moves if (one.source, one.rule, one.state) == (node, rule, "Accepted")]

        sight = self._until(lambda seen: bool(accepted(seen)), f"an eviction from {node} by the rule {rule}")
        move = accepted(sight)[0]
        self._display.tell(f"{move.pod} is evicted from {node}")
        return move

    def _landed(self, move: Move) -> Move:
        """Wait until the descheduler has found the replacement Ready elsewhere, and return the record with it."""

        def landed(sight: Sight) -> list[Move]:
            return [one for one in sight.moves if one.pod == move.pod and one.landing == "Moved"]

        sight = self._until(lambda seen: bool(landed(seen)), f"the replacement of {move.pod} to be Ready elsewhere")
        found = landed(sight)[0]
        self._display.tell(
            f"its replacement {found.replacement} runs on {found.node}; {found.source} stays closed to it"
        )
        return found

    # ------------------------------------------------------------------ looking

    def _pause(self) -> None:
        began = self._clock.seconds
        self._until(lambda _: self._clock.seconds - began >= _PAUSE_SECONDS, "some seconds to pass")

    def _until(self, condition: Callable[[Sight], bool], what: str) -> Sight:
        began = self._clock.seconds
        while True:
            sight = self._look()
            if condition(sight):
                return sight
            if self._clock.seconds - began > _PATIENCE:
                decided = "; ".join(map(sentence, sight.decisions)) or "nothing"
                raise StoryError(f"waited {_PATIENCE:g} s for {what}; seen: {status(sight)}; decided: {decided}")
            self._clock.sleep(_LOOK_SECONDS)

    def _look(self) -> Sight:
        sight = self._cluster.look()
        new: list[Decision] = [] if self._memory is None else self._memory.see(sight)
        self._display.show(sight, self._memory, new)
        return sight

    # ------------------------------------------------------------------ the end

    def _results(self, *reliefs: Relief, failure: str = "") -> Results:
        sight = self._look()
        memory = self._memory or results.remember(sight)
        after = results.figures(sight)
        found = () if failure else self._checks(*reliefs, after=after, memory=memory)
        return Results(memory=memory, after=after, checks=found, seconds=self._clock.seconds, failure=failure)

    def _checks(self, hot: Relief, slow: Relief, *, after: Figures, memory: Memory) -> tuple[Check, ...]:
        end = Ending(
            hot=hot,
            slow=slow,
            after=after,
            memory=memory,
            pods=self._cluster.pods(),
            granted=self._cluster.granted(),
            closed={one.replacement: self._cluster.closed(one) for one in (hot.move, slow.move)},
            wanted_pods=PODS,
        )
        return tuple(checks.checks(end))


def _is_measured(sight: Sight) -> bool:
    known = sight.measured and len(sight.slacks) == FRONTEND.replicas
    return known and sight.cycles >= _FEWEST_CYCLES and not sight.troubles


def _is_kept(sight: Sight) -> bool:
    return len(sight.slacks) == FRONTEND.replicas and min(sight.slacks) > 0


def _less(one: float | None, other: float | None) -> bool:
    """Return whether both are known and the one is less."""
    return one is not None and other is not None and one < other
