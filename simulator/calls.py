"""The record of every call to the in-memory API server, in the words of RBAC; decides nothing."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from simulator.kinds import Target

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call; `at` is the clock's time when it came in, `target` what its path points at."""

    user: str
    method: str
    path: str
    target: Target
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    at: float = 0.0

    @property
    def verb(self) -> str:
        """Return RBAC's verb."""
        single = self.target.name is not None
        if self.query.get("watch") in {"1", "true"}:
            return "watch"
        verb = _VERBS.get(self.method, "get" if single else "list")
        return "deletecollection" if verb == "delete" and not single else verb

    @property
    def resource(self) -> str:
        """Return RBAC's resource, such as `pods/eviction`."""
        return "/".join(filter(None, (self.target.kind.plural, self.target.subresource)))

    def __str__(self) -> str:
        return f"{self.user}: {self.verb} {self.resource} {self.path}"


class Calls:
    """Calls in their order; safe to use from any thread."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._lock = threading.Lock()

    def add(self, call: Call) -> None:
        """Keep one more."""
        with self._lock:
            self._calls.append(call)

    def clear(self) -> None:
        """Forget all of them, so that a test looks only at what comes now."""
        with self._lock:
            self._calls.clear()

    def of(self, verb: str = "*", resource: str = "*", *, user: str = "*", path: str = "*") -> list[Call]:
        """Return the calls that match every pattern: `calls.of("create", "pods/eviction")`."""
        return [
            call
            for call in self
            if fnmatchcase(call.verb, verb)
            and fnmatchcase(call.resource, resource)
            and fnmatchcase(call.user, user)
            and fnmatchcase(call.path, path)
        ]

    def __iter__(self) -> Iterator[Call]:
        with self._lock:
            return iter(tuple(self._calls))

    def __len__(self) -> int:
        return len(self._calls)
