"""The cluster kept up to date in the background, whole for the descheduler and lean for the extender.

It starts one supervised thread per kind and assembles snapshots; what a change means is the listener's to say.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from policies.values import kinds as names
from policies.values.clusters import Cluster
from policies.values.pods import Pod
from policies.values.workloads import WorkloadRef
from sources.clocks import Clock, SystemClock
from sources.kube.api import KubeApi
from sources.kube.assembling import assemble, workload_of
from sources.kube.kinds import EVERYTHING, Kind
from sources.kube.refreshing import Focus, refresh
from sources.kube.server_time import ServerTime, TimedApi
from sources.kube.watching import Pace, Reflector
from sources.supervising import Health, supervise

_STALE_AFTER: Final = 150.0  # two missed bookmarks and a half: what is older than that may be wrong


@dataclass(frozen=True, slots=True)
class Change:
    """One object that changed: `before` None is new, `after` None is gone. `kind` is a name of `values.kinds`."""

    kind: str
    before: Any
    after: Any


Listener = Callable[[Change], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchSettings:
    """What is watched and how: the kinds, the clocks, where health is reported, the seed of the back-off."""

    kinds: tuple[Kind[Any], ...] = EVERYTHING
    server_time: ServerTime | None = None
    health: Health = field(default_factory=Health)
    clock: Clock = field(default_factory=SystemClock)
    stale_after: float = _STALE_AFTER
    seed: int | None = None


class ClusterWatch:
    """Watches several kinds. The listener is called for one change at a time, from the watches' threads."""

    def __init__(
        self, api: KubeApi, *, settings: WatchSettings | None = None, on_change: Listener | None = None
    ) -> None:
        self._settings = settings or WatchSettings()
        self.server_time = self._settings.server_time or ServerTime(self._settings.clock)
        self._on_change = on_change
        self._one_at_a_time = threading.Lock()
        self._threads: list[threading.Thread] = []
        timed = self._api = TimedApi(api, self.server_time)
        pace = Pace(clock=self._settings.clock, seed=self._settings.seed)
        self._reflectors = {
            kind.name: Reflector(timed, kind, self._teller(kind.name), pace=pace) for kind in self._settings.kinds
        }

    def start(self, stop: threading.Event) -> None:
        """Begin to watch, in threads of their own that end soon after `stop` is set."""
        for name, reflector in self._reflectors.items():
            thread = threading.Thread(target=self._run, args=(reflector, stop), name=f"watch-{name}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def join(self, timeout: float) -> bool:
        """Wait for the threads after `stop` was set; tell whether all have ended."""
        for thread in self._threads:
            thread.join(timeout)
        return not any(thread.is_alive() for thread in self._threads)

    @property
    def synced(self) -> bool:
        """Whether every kind is listed, or is known not to be readable; nodes and pods must be listed."""
        needed = {names.NODES, names.PODS}
        return all(one.synced or (name not in needed and one.problem) for name, one in self._reflectors.items())

    def stale_for(self) -> float:
        """Return the seconds since the most silent of nodes and pods was last heard from."""
        return max(self._reflectors[name].stale_for() for name in (names.NODES, names.PODS))

    def troubles(self) -> dict[str, str]:
        """Say in words what is wrong with each kind that cannot be trusted now."""
        return {name: words for name, one in self._reflectors.items() if (words := self._trouble(one)) is not None}

    def skipped(self) -> dict[str, Mapping[str, str]]:
        """Return the malformed objects of each kind, by name, with what is wrong with them."""
        return {name: one.skipped for name, one in self._reflectors.items() if one.skipped}

    def values(self, kind: str) -> dict[str, Any]:
        """Return every object of one kind by key: UIDs of pods, names of nodes, `namespace/name`."""
        return self._reflectors[kind].values()

    def get(self, kind: str, key: str) -> Any:  # noqa: ANN401  # a value of the kind
        """Return one object, None where there is none."""
        return self._reflectors[kind].get(key)

    def workload_of(self, pod: Pod) -> WorkloadRef | None:
        """Return whom a pod belongs to, as far as the owners are watched."""
        return workload_of(pod, self._find)

    def snapshot(self) -> Cluster:
        """Return the cluster as last seen; kinds that cannot be trusted are `unreadable`."""
        return assemble(self._stores(), now=self.server_time.now(), unreadable=self.troubles(), skipped=self.skipped())

    def refreshed(self, focus: Focus) -> Cluster:
        """Return the cluster as last seen, but all that one eviction rests on as it is now.

        Raises:
            ApiError: something of it could not be read.
        """
        fresh = refresh(self._api, self._stores(), focus)
        skipped = {**self.skipped()}
        for name, objects in fresh.skipped.items():
            skipped[name] = {**skipped.get(name, {}), **objects}
        return assemble(fresh.stores, now=self.server_time.now(), unreadable=self.troubles(), skipped=skipped)

    def _stores(self) -> dict[str, dict[str, Any]]:
        return {name: one.values() for name, one in self._reflectors.items()}

    def _find(self, kind: str, key: str) -> Any:  # noqa: ANN401  # a value of the kind
        reflector = self._reflectors.get(kind)
        return None if reflector is None else reflector.get(key)

    def _run(self, reflector: Reflector[Any], stop: threading.Event) -> None:
        supervise(
            f"watch {reflector.kind.name}",
            lambda: reflector.run(stop),
            stop=stop,
            health=self._settings.health,
            clock=self._settings.clock,
        )

    def _teller(self, kind: str) -> Callable[[Any, Any], None]:
        def tell(before: Any, after: Any) -> None:  # noqa: ANN401  # values of the kind
            if self._on_change is not None:
                with self._one_at_a_time:
                    self._on_change(Change(kind, before, after))

        return tell

    def _trouble(self, reflector: Reflector[Any]) -> str | None:
        if not reflector.synced:
            return reflector.problem or "not listed yet"
        silent = reflector.stale_for()
        if silent <= self._settings.stale_after:
            return None
        return f"not heard from for {silent:.0f} s" + (f": {reflector.problem}" if reflector.problem else "")
