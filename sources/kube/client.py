"""The real Kubernetes API: the kubernetes client's configuration and connection pool, raw bytes, orjson.

The client's typed models are not used (1.2 ms a pod); none of its types or exceptions, nor urllib3's, leaves here.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

import orjson
import urllib3
from kubernetes.client import Configuration
from kubernetes.client.rest import RESTClientObject

from sources import deadlines
from sources.kube import calling, credentials
from sources.kube.api import Answer
from sources.kube.errors import Interrupted, Unauthorized

_LOG = logging.getLogger(__name__)
_CONNECTIONS: Final = 32  # kept open; more are made when needed and closed again
_CONNECT_WITHIN: Final = 10.0  # for a watch, which has no deadline as a whole
_LEAST: Final = 0.001  # urllib3 refuses a timeout of 0
R = TypeVar("R")


def connect(kubeconfig: Path | None = None) -> "KubeClient":
    """Return a client for the cluster of a kubeconfig file, or of the pod we run in. Makes no request yet.

    Raises:
        Misconfigured: neither is usable.
    """
    return KubeClient(kubeconfig)


class _Link:
    """Configuration and pools as of one reading of the credentials."""

    def __init__(self, configuration: Configuration) -> None:
        configuration.connection_pool_maxsize = _CONNECTIONS
        configuration.keep_alive = True  # TCP keep-alive finds a dead watch before its idle timeout does
        self.configuration = configuration
        self.host: str = configuration.host.rstrip("/")
        self.calls: urllib3.PoolManager = deadlines.bound(RESTClientObject(configuration).pool_manager)
        self.watches: urllib3.PoolManager = RESTClientObject(configuration).pool_manager

    def call(self, method: str, path: str, query: Mapping[str, str] | None) -> calling.Call:
        headers = {"Accept": "application/json", "User-Agent": "bayplan"}
        token = credentials.authorization(self.configuration)
        if token is not None:
            headers["Authorization"] = token
        url = self.host + path + (f"?{urlencode(query)}" if query else "")
        return calling.Call(method=method, url=url, headers=headers)


class KubeClient:
    """Implements `KubeApi`; safe to use from several threads."""

    def __init__(self, kubeconfig: Path | None) -> None:
        self._kubeconfig = kubeconfig
        self._link = _Link(credentials.load(kubeconfig))
        self._lock = threading.Lock()
        self._streams: set[urllib3.BaseHTTPResponse] = set()
        self._closed = False

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
        """Make one call; see `KubeApi.request`."""
        until = time.monotonic() + timeout
        payload = None if body is None else orjson.dumps(body)

        def once(link: _Link) -> Answer:
            bare = link.call(method, path, query)
            headers = bare.headers if payload is None else {**bare.headers, "Content-Type": content_type}
            call = calling.Call(method=method, url=bare.url, headers=headers, body=payload)
            left = max(_LEAST, until - time.monotonic())
            return calling.exchange(link.calls, call, urllib3.Timeout(total=left))

        return self._with_fresh_credentials(once, repeatable=method == "GET")

    def stream(self, path: str, *, query: Mapping[str, str], timeout: float) -> Iterator[dict[str, Any]]:
        """Watch; see `KubeApi.stream`."""
        patience = urllib3.Timeout(connect=min(timeout, _CONNECT_WITHIN), read=timeout)

        def once(link: _Link) -> tuple[urllib3.BaseHTTPResponse, calling.Call]:
            call = link.call("GET", path, query)
            return calling.open_stream(link.watches, call, patience), call

        response, call = self._with_fresh_credentials(once, repeatable=True)
        self._streams.add(response)
        try:
            if self._closed:
                raise Interrupted(f"GET {call.url}: the client is closed")
            yield from calling.json_lines(response, call)
        finally:
            self._streams.discard(response)
            response.close()

    def close(self) -> None:
        """End every open watch, so that the threads inside come back; calls are still possible."""
        self._closed = True
        for response in tuple(self._streams):
            with contextlib.suppress(RuntimeError, ValueError, OSError):  # it ended by itself in this very moment
                response.shutdown()

    def _with_fresh_credentials(self, once: Callable[[_Link], R], *, repeatable: bool) -> R:
        link = self._link
        try:
            return once(link)
        except Unauthorized:
            return once(self._renewed(link))  # 401 is answered before anything is carried out
        except Interrupted:
            if not repeatable:
                raise
            return once(link)  # the server closed an idle connection as we took it; reading twice harms nobody

    def _renewed(self, link: _Link) -> _Link:
        with self._lock:
            if self._link is link:
                _LOG.info("credentials for %s were not accepted, reading them again", link.host)
                self._link = _Link(credentials.load(self._kubeconfig))
            return self._link
