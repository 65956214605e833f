"""Reads the API server's audit log: who asked for which evictions and writes, and how each was answered."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to the API server, answered with status `code`; `subresource` is empty for the object itself."""

    user: str
    verb: str
    group: str
    resource: str
    subresource: str
    namespace: str
    name: str
    code: int


class AuditLog:
    """The requests in an audit log, oldest first."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def evictions(self, *, namespace: str | None = None) -> list[Request]:
        """Return every call of the Eviction API, in one namespace or in all, refused ones included."""
        return [
            request
            for request in self.requests()
            if request.subresource == "eviction" and namespace in (None, request.namespace)
        ]

    def writes(self, *, user: str) -> list[Request]:
        """Return every write of a user."""
        return [request for request in self.requests() if request.user == user]

    def requests(self) -> Iterator[Request]:
        """Yield what was written down so far."""
        if self._file.exists():
            for line in self._file.read_text().splitlines():
                yield parse(line)


def parse(line: str) -> Request:
    """Return the request of one line of the log."""
    event = json.loads(line)
    target = event.get("objectRef") or {}
    return Request(
        user=event["user"]["username"],
        verb=event["verb"],
        group=target.get("apiGroup", ""),
        resource=target.get("resource", ""),
        subresource=target.get("subresource", ""),
        namespace=target.get("namespace", ""),
        name=target.get("name", ""),
        code=event.get("responseStatus", {}).get("code", 0),
    )
