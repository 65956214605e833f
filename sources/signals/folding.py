"""The least slack of each node's pods, folded by a child process out of one series a pod.

A vector of 150,000 pod series is 16 MB and holds the interpreter for half a second: a webhook that waits behind that
misses its time. So a resident child asks and decodes, and only one number per node comes here. A child that does not
answer in time is killed; the next round starts another one.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import IO, Any, Final, cast

from policies.buoyancy.standing import NO_SLACKS, NodeSlacks
from policies.model.dumping import dump
from policies.model.policy import Policy
from policies.rules.objectives import reach
from policies.values.pods import Pod
from sources import children
from sources.clocks import Clock, SystemClock
from sources.signals import frames
from sources.signals.folding_child import pod_slos
from sources.signals.troubles import Troubles

_LOG = logging.getLogger(__name__)
_CHUNK: Final = 2000  # places in one message: about a millisecond of the interpreter
_DECODING: Final = 10.0  # seconds for work beside the queries: 150,000 series take 2
Place = tuple[str, float | None]
Key = tuple[int, str]


class SlackFolder:
    """Folds at the policy's step while `run` runs; `newest` never waits."""

    def __init__(
        self,
        policy: Policy,
        pods: Callable[[], Iterable[Pod]],
        *,
        clock: Clock | None = None,
        decoding: float = _DECODING,
    ) -> None:
        self._policy = policy
        self._patience = 2 * policy.signals.prometheus.timeout * max(1, len(pod_slos(policy))) + decoding
        self._pods = pods
        self._clock = clock or SystemClock()
        self._reaches = [reach(slo, policy) for slo in pod_slos(policy)]
        self._troubles = Troubles()
        self._child: _Child | None = None
        self._newest = NO_SLACKS
        self._answered_at = -float("inf")

    def newest(self) -> NodeSlacks:
        """Return the child's last answer; none when it is too old to mean anything."""
        signals = self._policy.signals
        fresh = self._clock.monotonic() - self._answered_at <= signals.stale_after + signals.step
        return self._newest if fresh else NO_SLACKS

    def failures(self) -> Mapping[str, str]:
        """Return the trouble of each query, and of the folding itself."""
        return self._troubles.now()

    def run(self, stop: threading.Event) -> None:
        """Fold once a step until told to stop; then the child ends too."""
        if not self._reaches or self._policy.buoyancy.include_slack == "off":
            stop.wait()
            return
        try:
            while not stop.is_set():
                began = self._clock.monotonic()
                self.fold()
                stop.wait(max(0.0, self._policy.signals.step - (self._clock.monotonic() - began)))
        finally:
            self._end_child()

    def fold(self) -> None:
        """Ask the child once; a child that fails is ended, and its answer is missed."""
        try:
            self._child = self._child or _Child(self._policy, patience=self._patience)
            answer = self._child.ask(self._places(), at=self._clock.now())
        except (frames.Closed, OSError) as problem:
            self._end_child()
            self._troubles.tell("slack folding", f"the child was ended and is started again: {problem}")
            return
        self._newest = NodeSlacks(any=answer["any"], verified=answer["verified"])
        self._answered_at = self._clock.monotonic()
        self._troubles.replace(answer["failures"])

    def _places(self) -> dict[Key, Place]:
        """Return where every pod stands that some objective is about, and from when its samples count.

        Pods share their labels' mapping, so that selectors are tried once for each template.
        """
        tried: dict[tuple[str, int], tuple[int, ...]] = {}
        found: dict[Key, Place] = {}
        for pod in self._pods():
            if pod.node is None or pod.ended:
                continue
            template = (pod.namespace, id(pod.labels))
            about = tried.get(template)
            if about is None:
                about = tried[template] = tuple(at for at, reaches in enumerate(self._reaches) if reaches(pod))
            for slo in about:
                found[slo, f"{pod.namespace}/{pod.name}"] = (pod.node, pod.ready_since)
        return found

    def _end_child(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class _Child:
    """The process, and where it believes that pods stand."""

    def __init__(self, policy: Policy, *, patience: float) -> None:
        self._patience = patience
        self._told: dict[Key, Place] = {}
        self._process = children.on_standard_streams("sources.signals.folding_child")
        self._to, self._from = cast("IO[bytes]", self._process.stdin), cast("IO[bytes]", self._process.stdout)
        frames.write(self._to, {"policy": dump(policy)})

    def ask(self, places: Mapping[Key, Place], *, at: float) -> Any:  # noqa: ANN401  # the child's answer
        """Tell the child what changed and wait for its answer, at most so long.

        Raises:
            Closed: it died, or was killed because it took too long.
        """
        watchdog = threading.Timer(self._patience, self._process.kill)
        watchdog.start()
        try:
            for message in self._changes(places):
                frames.write(self._to, message)
            frames.write(self._to, {"fold": at})
            answer = frames.read(self._from)
        finally:
            watchdog.cancel()
        self._told = dict(places)
        return answer

    def end(self) -> None:
        """End the process: its input closes, and if that is not enough it is killed."""
        for pipe in (self._to, self._from):
            try:
                pipe.close()
            except OSError:  # what was still to be written has no reader any more
                continue
        children.end(self._process)

    def _changes(self, places: Mapping[Key, Place]) -> Iterator[dict[str, Any]]:
        changed = ([*key, *place] for key, place in places.items() if self._told.get(key) != place)
        for chunk in _chunks(changed):
            yield {"pods": chunk}
        for chunk in _chunks(self._told.keys() - places.keys()):
            yield {"gone": chunk}


def _chunks(entries: Iterable[Any]) -> Iterator[list[Any]]:
    left = iter(entries)
    while chunk := list(islice(left, _CHUNK)):
        yield chunk
