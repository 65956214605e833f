"""One process's way to the in-memory API server: records, meets faults, raises the errors of the port."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from simulator.calls import Call, Calls
from simulator.clock import ManualClock
from simulator.failures import Failure
from simulator.faults import Faults
from simulator.jsons import Raw, copied
from simulator.kinds import Target, parse_path
from simulator.rights import Rights
from simulator.watching import Stream, Watches
from sources.kube.api import Answer
from sources.kube.errors import status_error


class Server(Protocol):
    """What a connection needs of its server."""

    clock: ManualClock
    calls: Calls
    faults: Faults
    watches: Watches

    def answer(self, call: Call, target: Target, content_type: str) -> Answer:
        """Carry out a call."""
        ...

    def open_watch(self, path: str, target: Target, query: dict[str, str]) -> Stream:
        """Open a watch."""
        ...


class Connection:
    """`KubeApi` for one user: faults and records tell its calls from those of others."""

    def __init__(self, server: Server, user: str, rights: Rights | None = None) -> None:
        self._server = server
        self._rights = rights
        self.user = user

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
        """Answer one call."""
        try:
            target = parse_path(path)
            call = self._recorded(method, path, target, dict(query or {}), copied(body))
            fault = self._server.faults.take(call)

            def serve() -> Answer:
                return self._server.answer(call, target, content_type)

            if fault is None:
                return serve()
            return fault.meet(call, serve, clock=self._server.clock, timeout=timeout)
        except Failure as failure:
            raise _error(failure) from failure

    def stream(self, path: str, *, query: Mapping[str, str], timeout: float) -> Iterator[Raw]:
        """Answer a watch: what is wrong at its opening is raised at once."""
        try:
            target = parse_path(path)
            asked = {"watch": "1", **query}
            call = self._recorded("GET", path, target, asked, None)
            fault = self._server.faults.take(call)
            if fault is not None:
                fault.meet(call, lambda: Answer(200), clock=self._server.clock, timeout=timeout)
            opened = self._server.open_watch(path, target, asked)
        except Failure as failure:
            raise _error(failure) from failure
        return self._server.watches.events(opened, timeout)

    def _recorded(self, method: str, path: str, target: Target, query: dict[str, str], body: Any) -> Call:  # noqa: ANN401  # any JSON value
        at = self._server.clock.now()
        call = Call(user=self.user, method=method, path=path, target=target, query=query, body=body, at=at)
        self._server.calls.add(call)
        if self._rights is not None:
            self._rights.check(call)
        return call


def _error(failure: Failure) -> Exception:
    return status_error(failure.status, failure.body(), retry_after=float(failure.retry_after) or None)
