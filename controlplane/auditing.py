"""Reads the API server's audit log: who asked for which evictions and writes, and how each was answered."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to the API server, answered with status `code`; `subresource` is empty for the object itself.

    `at` is when it was answered and `asked` when it arrived (Unix seconds, the server's clock). `uid` is the
    precondition of an eviction, empty without one; `dry_run` says that nothing was to happen.
    """

    user: str
    verb: str
    group: str
    resource: str
    subresource: str
    namespace: str
    name: str
    code: int
    at: float = 0.0
    asked: float = 0.0
    uid: str = ""
    dry_run: bool = False

    @property
    def granted(self) -> bool:
        """Whether it was done, and not only tried."""
        return 200 <= self.code < 300 and not self.dry_run  # noqa: PLR2004  # what HTTP calls success


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
        """Yield what was written down so far; a line that is being written has no end yet and is left for later."""
        if self._file.exists():
            for line in self._file.read_text().splitlines(keepends=True):
                if line.endswith("\n"):
                    yield parse(line)


def parse(line: str) -> Request:
    """Return the request of one line of the log."""
    event = json.loads(line)
    target = event.get("objectRef") or {}
    options = (event.get("requestObject") or {}).get("deleteOptions") or {}
    return Request(
        user=event["user"]["username"],
        verb=event["verb"],
        group=target.get("apiGroup", ""),
        resource=target.get("resource", ""),
        subresource=target.get("subresource", ""),
        namespace=target.get("namespace", ""),
        name=target.get("name", ""),
        code=event.get("responseStatus", {}).get("code", 0),
        at=_moment(event, "stageTimestamp"),
        asked=_moment(event, "requestReceivedTimestamp"),
        uid=(options.get("preconditions") or {}).get("uid", ""),
        dry_run=bool(options.get("dryRun")) or "dryRun=" in event.get("requestURI", ""),
    )


def _moment(event: dict[str, Any], name: str) -> float:
    given = event.get(name)
    return datetime.fromisoformat(given).timestamp() if given else 0.0
