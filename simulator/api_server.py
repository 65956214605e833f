"""The in-memory API server: the port `sources.kube.api.KubeApi` over a store, with faults and a record of calls.

It answers as kube-apiserver does where Bayplan can notice; it knows no authentication and no schema.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from simulator.calls import Call, Calls
from simulator.clock import ManualClock
from simulator.connection import Connection
from simulator.dispatching import Desk
from simulator.faults import Faults
from simulator.jsons import Raw, copied
from simulator.kinds import Target, kind_named, kind_of
from simulator.listing import Lister
from simulator.rights import Rights
from simulator.store import Change, Store
from simulator.watching import Stream, Watches
from simulator.writing import Writer
from sources.kube.api import Answer
from sources.kube.errors import Interrupted, Unreachable


class Controller(Protocol):
    """Something that lives in the cluster and answers changes by writes of its own."""

    def react(self, change: Change, writer: Writer) -> None:
        """Look at one change; the server's lock is held."""
        ...


class ApiServer:
    """A cluster's API in memory, itself the `KubeApi` of the user `test`; `connect` gives one to each process.

    `controllers` see every change in order, before the call that made it is answered, or `reaction_time` seconds
    of the clock later. `skew` sets the server's wall clock (Date, creation times) apart from `clock`.
    """

    def __init__(
        self, clock: ManualClock | None = None, *, controllers: tuple[Controller, ...] = (), reaction_time: float = 0.0
    ) -> None:
        self.clock = clock or ManualClock()
        self.calls = Calls()
        self.faults = Faults()
        self.skew = 0.0
        self._changed = threading.Condition(threading.RLock())
        self._store = Store(self)
        self._lister = Lister(self._store)
        self._writer = Writer(store=self._store, clock=self, later=self._later)
        self._desk = Desk(lister=self._lister, writer=self._writer)
        self.watches = Watches(store=self._store, clock=self.clock, changed=self._changed)
        self._controllers = controllers
        self._reaction_time = reaction_time
        self._unseen: deque[Change] = deque()
        self._store.listeners.append(self._unseen.append)
        self._closed = False
        self.clock.on_move(self._wake)
        for name in ("default", "kube-system", "bayplan-system"):
            self._writer.add_namespace(name)

    # ------------------------------------------------------------------ the clock of the server

    def now(self) -> float:
        """Return Unix seconds by the server's own clock."""
        return self.clock.now() + self.skew

    def monotonic(self) -> float:
        """Return the steady seconds of the clock."""
        return self.clock.monotonic()

    # ------------------------------------------------------------------ the port

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        content_type: str = "application/json",
        timeout: float = 10.0,
    ) -> Answer:
        """Answer a call of the user `test`."""
        return self.connect("test").request(
            method, path, query=query, body=body, content_type=content_type, timeout=timeout
        )

    def stream(self, path: str, *, query: Mapping[str, str], timeout: float) -> Iterator[Raw]:
        """Answer a watch of the user `test`."""
        return self.connect("test").stream(path, query=query, timeout=timeout)

    def connect(self, user: str, rights: Rights | None = None) -> Connection:
        """Return the API as one process uses it: its calls and faults are told apart by `user`.

        With `rights` every other call is answered by 403; without, everything is allowed.
        """
        return Connection(self, user, rights)

    # ------------------------------------------------------------------ setting and reading a scene, unrecorded

    def put(self, *objects: Raw) -> None:
        """Write objects as they are, status, UID and times included, over those of the same name."""
        with self._changed:
            for raw in objects:
                self._writer.put(copied(raw), kind_of(raw))
            self._settle()

    @property
    def version(self) -> int:
        """Return the resource version of the newest write: while it stays the same, so does everything."""
        with self._changed:
            return self._store.version

    def find(self, plural: str, name: str, namespace: str = "default") -> Raw | None:
        """Return an object, None where there is none; `plural` as in `nodes` or `leases`."""
        kind = kind_named(plural)
        with self._changed:
            return copied(self._store.get(kind, (namespace if kind.namespaced else "", name)))  # type: ignore[no-any-return]  # a copy is what it copies

    def all(self, plural: str, namespace: str | None = None) -> list[Raw]:
        """Return all objects of a kind."""
        kind = kind_named(plural)
        with self._changed:
            return copied(list(self._store.all(kind, namespace)))  # type: ignore[no-any-return]  # the same

    def bind(self, pod: str, node: str, namespace: str = "default") -> None:
        """Bind a pod as a scheduler would."""
        with self._changed:
            self._writer.bind((namespace, pod), node)
            self._settle()

    def remove(self, plural: str, name: str, namespace: str = "default") -> None:
        """Take an object away at once, as if its deletion had been finished."""
        kind = kind_named(plural)
        with self._changed:
            self._store.remove(kind, (namespace if kind.namespaced else "", name))
            self._settle()

    # ------------------------------------------------------------------ trouble with what is open

    def compact(self) -> None:
        """Forget all history: old versions and continue tokens are answered by 410 from now on."""
        with self._changed:
            self._store.compact()
            self._lister.compact()
            self._changed.notify_all()

    def end_watches(self, path: str = "*") -> int:
        """End watches as the server does after their time; returns how many."""

        def end(stream: Stream) -> None:
            stream.ended = True

        return self.watches.each(path, end)

    def break_watches(self, path: str = "*") -> int:
        """Break the connections of watches."""

        def snap(stream: Stream) -> None:
            stream.broken = Interrupted(f"watch of {stream.path}: connection reset")

        return self.watches.each(path, snap)

    def freeze_watches(self, path: str = "*") -> int:
        """Let watches fall silent without an end, as behind a dead load balancer."""

        def freeze(stream: Stream) -> None:
            stream.frozen = True

        return self.watches.each(path, freeze)

    def close(self) -> None:
        """Be gone: watches break, and every call finds no connection."""
        self._closed = True
        self.break_watches()

    # ------------------------------------------------------------------ serving

    def answer(self, call: Call, target: Target, content_type: str) -> Answer:
        """Carry out a call."""
        with self._changed:
            if self._closed:
                raise Unreachable(f"{call.method} {call.path}: connection refused")
            status, body = self._desk.handle(call, target, content_type)
            result = Answer(status, copied(body), float(int(self.now())))
            self._settle()
            return result

    def open_watch(self, path: str, target: Target, query: dict[str, str]) -> Stream:
        """Open a watch."""
        with self._changed:
            if self._closed:
                raise Unreachable(f"WATCH {path}: connection refused")
            return self.watches.open(path, target, query)

    # ------------------------------------------------------------------ what happens by itself

    def _settle(self) -> None:
        """Let controllers see what changed until nothing does, then tell the watches."""
        while self._unseen:
            change = self._unseen.popleft()
            for controller in self._controllers:
                self._react(controller, change)
        self._changed.notify_all()

    def _react(self, controller: Controller, change: Change) -> None:
        if self._reaction_time:
            self._later(self._reaction_time, lambda: controller.react(change, self._writer))
        else:
            controller.react(change, self._writer)

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        def act() -> None:
            with self._changed:
                action()
                self._settle()

        self.clock.call_after(seconds, act)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
