"""A plain client of the Kubernetes API for observers and set-up: JSON in, JSON out; shares no code with Bayplan."""

import contextlib
import json
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import requests

from controlplane.objects import Object


class ApiRefusedError(RuntimeError):
    """The API server answered with another status than 2xx."""

    def __init__(self, method: str, path: str, *, status: int, body: str) -> None:
        super().__init__(f"{method} {path} was answered with {status}: {body[:1000]}")
        self.status = status


class Api:
    """One user's connection to one API server. Not for several threads at once: `clone` makes another."""

    def __init__(self, server: str, *, ca_file: str, token: str) -> None:
        self.server = server
        self.ca_file = ca_file
        self.token = token
        self._session = requests.Session()
        self._session.trust_env = False  # no proxy, no .netrc: the server is on this machine
        self._session.verify = ca_file
        self._session.headers["Authorization"] = f"Bearer {token}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._session.close()

    def clone(self, token: str | None = None) -> "Api":
        """Return another connection, as the same or as another user."""
        return Api(self.server, ca_file=self.ca_file, token=token or self.token)

    def call(
        self, method: str, path: str, body: object = None, *, content_type: str = "application/json", **query: str
    ) -> Object:
        """Return the answer to one request.

        Raises:
            ApiRefusedError: the status is not 2xx.
        """
        data = None if body is None else json.dumps(body)
        headers = {"Content-Type": content_type}
        answer = self._session.request(
            method, self.server + path, params=query, data=data, headers=headers, timeout=30.0
        )
        if not answer.ok:
            raise ApiRefusedError(method, path, status=answer.status_code, body=answer.text)
        parsed: Object = answer.json()
        return parsed

    def get(self, path: str, **query: str) -> Object:
        """Read an object or a list."""
        return self.call("GET", path, **query)

    def items(self, path: str, **query: str) -> list[Object]:
        """Read the items of a list."""
        found: list[Object] = self.get(path, **query)["items"]
        return found

    def find(self, path: str) -> Object | None:
        """Read an object, or None if there is none."""
        try:
            return self.get(path)
        except ApiRefusedError as error:
            if error.status == requests.codes.not_found:
                return None
            raise

    def create(self, path: str, body: Object) -> Object:
        """Create an object in a collection."""
        return self.call("POST", path, body)

    def patch(self, path: str, body: Object) -> Object:
        """Change some fields of an object (JSON merge patch)."""
        return self.call("PATCH", path, body, content_type="application/merge-patch+json")

    def delete(self, path: str, **query: str) -> None:
        """Delete an object or a collection; what is gone already counts as deleted."""
        try:
            self.call("DELETE", path, **query)
        except ApiRefusedError as error:
            if error.status != requests.codes.not_found:
                raise

    def watch(self, path: str, *, seconds: float, **query: str) -> Iterator[Object]:
        """Yield the events of a watch until the server ends it after `seconds`, or the caller closes the iterator."""
        ends = {"watch": "true", "timeoutSeconds": str(max(1, round(seconds)))}
        with contextlib.closing(
            self._session.get(self.server + path, params=query | ends, stream=True, timeout=(5.0, seconds + 5.0))
        ) as answer:
            if not answer.ok:
                raise ApiRefusedError("GET", path, status=answer.status_code, body=answer.text)
            for line in answer.iter_lines(chunk_size=None):
                if line:
                    yield json.loads(line)
