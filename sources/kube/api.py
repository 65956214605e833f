"""The port through which everything talks to the Kubernetes API; declares, does nothing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with a 2xx status; any other status is raised as a `StatusError`.

    `body` is {} where the answer was not a JSON object. `date` is its Date header in Unix seconds.
    """

    status: int
    body: dict[str, Any] = field(default_factory=dict)
    date: float | None = None


class KubeApi(Protocol):
    """Requests to one API server. Implementations may be used by several threads at once."""

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
        """Make one call that ends within `timeout` seconds in all, whatever the server does; nothing is retried.

        Raises:
            ApiError: one of the tree in `sources.kube.errors`.
        """
        ...

    def stream(self, path: str, *, query: Mapping[str, str], timeout: float) -> Iterator[dict[str, Any]]:
        """Watch: yield one event per JSON line until the server ends the stream.

        `timeout` bounds the wait for the next byte. `query` is sent as it is (`watch=1` is the caller's to give).

        Raises:
            ApiError: one of the tree in `sources.kube.errors`, also in the middle of the stream.
        """
        ...
