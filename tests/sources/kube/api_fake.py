"""An API that gives one scripted body to every call and scripted events to every watch, and notes what it was asked."""

from collections.abc import Iterator, Mapping
from typing import Any

from sources.kube.api import Answer


class ScriptedApi:
    """Implements `KubeApi`."""

    def __init__(self, *events: dict[str, Any], body: dict[str, Any] | None = None) -> None:
        self._events = events
        self._body = body or {}

    def request(
        self,
        method: str,  # noqa: ARG002  # one answer for all
        path: str,  # noqa: ARG002
        *,
        query: Mapping[str, str] | None = None,  # noqa: ARG002
        body: object = None,  # noqa: ARG002
        content_type: str = "",  # noqa: ARG002
        timeout: float = 10.0,  # noqa: ARG002
    ) -> Answer:
        """Give the one answer."""
        return Answer(200, self._body)

    def stream(
        self,
        path: str,  # noqa: ARG002  # the same events for all
        *,
        query: Mapping[str, str],  # noqa: ARG002
        timeout: float,  # noqa: ARG002
    ) -> Iterator[dict[str, Any]]:
        """Give the events and end."""
        yield from self._events
