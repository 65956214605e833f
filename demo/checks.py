"""Whether the story came true, sentence by sentence; pure. The audit log's and the pods' word stands beside ours."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from demo.casting import Surge
from demo.load import Pod
from demo.results import Check, Figures, Memory
from demo.sights import Move

VETO_RAIL = "veto"
STEERING = "steering"


@dataclass(frozen=True, slots=True)
class Relief:
    """A surge, and the eviction that it led to."""

    surge: Surge
    move: Move


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What is known at the end.

    `granted` are the pods whose eviction the API server granted, from its audit log. `closed` is why the extender would
    not let a replacement back onto the node that its predecessor left, by replacement; empty where it would.
    """

    hot: Relief
    slow: Relief
    after: Figures
    memory: Memory
    pods: tuple[Pod, ...]
    granted: tuple[str, ...]
    closed: Mapping[str, str]
    wanted_pods: int


def checks(end: Ending) -> Iterator[Check]:
    """Yield every sentence of the story."""
    taker, running = end.hot.surge.pod, {pod.name: pod for pod in end.pods}
    moved = [end.hot.move, end.slow.move]
    yield Check(
        f"the largest taker, {taker.name}, was refused by the rail `{VETO_RAIL}` and still runs on {taker.node}",
        end.memory.refused(taker.name, VETO_RAIL) and running.get(taker.name) == taker,
    )
    yield Check(
        "the API server granted exactly the evictions of which there are records",
        sorted(end.granted) == sorted(one.pod for one in moved),
        ", ".join(end.granted),
    )
    for one in moved:
        yield Check(
            f"the replacement of {one.pod} runs on another node than {one.source}",
            one.replacement in running and running[one.replacement].node == one.node != one.source,
            f"{one.replacement} on {one.node}",
        )
    yield Check(
        "the extender keeps each replacement's workload off the node that was left",
        [end.closed.get(one.replacement) for one in moved] == [STEERING] * len(moved),
        ", ".join(f"{one.source}: {end.closed.get(one.replacement) or 'open'}" for one in moved),
    )
    yield Check("no node is oversubscribed", end.after.oversubscribed == 0 and end.after.score < 1)
    yield Check("every objective is kept", end.after.breaching == 0 and end.after.slack > 0)
    yield Check("no pod was lost", len(end.pods) == end.wanted_pods, f"{len(end.pods)} run")
