"""Lists in pages, each list at one consistent version; it keeps nothing and watches nothing."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, NamedTuple, TypeVar

from policies.values.clusters import Cluster
from sources.garbage import COLLECTOR
from sources.kube.api import KubeApi
from sources.kube.assembling import assemble
from sources.kube.decoding.tolerant import MalformedObject, name_of, tolerant
from sources.kube.errors import ApiError, Gone, Misconfigured, Unauthorized, Undecodable, Unreachable
from sources.kube.kinds import EVERYTHING, Kind
from sources.kube.server_time import ServerTime, TimedApi

_LOG = logging.getLogger(__name__)
_TRIES: Final = 3  # a list whose continue token expires is begun again; three expire only where pages take minutes
_PAGE_WITHIN: Final = 30.0
_POINTLESS: Final = (Unreachable, Misconfigured, Unauthorized)  # the next kind would fail in the same way
T = TypeVar("T")
R = TypeVar("R")


class RawList(NamedTuple):
    """Raw objects at one version; `date` is the server's clock at the last page."""

    items: list[dict[str, Any]]
    date: float | None
    resource_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Generic[T]):
    """Decoded objects by key, at one version; `skipped` tells of each malformed object what is wrong with it."""

    values: dict[str, T]
    resource_version: str
    skipped: Mapping[str, str] = field(default_factory=dict)


def raw_pages(
    api: KubeApi, path: str, *, limit: int = 500, select: Mapping[str, str] | None = None
) -> Iterator[RawList]:
    """Yield the pages of one list. No resourceVersion is sent, so that the list is as new as the request.

    `select` are selectors (`labelSelector`, `fieldSelector`) of the query.

    Raises:
        Gone: the continue token expired between two pages; begin again.
        ApiError: anything else that keeps a page from coming.
    """
    asked = {**(select or {}), "limit": str(limit)}
    query = asked
    while True:
        answer = api.request("GET", path, query=query, timeout=_PAGE_WITHIN)
        metadata = answer.body.get("metadata")
        items = answer.body.get("items", False)
        if not isinstance(metadata, dict) or not (items is None or isinstance(items, list)):
            raise Undecodable(
                f"GET {path}: the answer is no list (it has {', '.join(sorted(answer.body)) or 'nothing'})"
            )
        yield RawList(items or [], answer.date, str(metadata.get("resourceVersion") or ""))
        token = metadata.get("continue")
        if not token:
            return
        query = {**asked, "continue": str(token)}


def list_raw(api: KubeApi, path: str, *, limit: int = 500) -> RawList:
    """Return a whole list as raw objects; begins again when it expires on the way.

    Raises:
        ApiError: see the tree; `Gone` after three attempts.
    """
    pages = _begun_again(lambda: list(raw_pages(api, path, limit=limit)))
    return RawList([raw for page in pages for raw in page.items], pages[-1].date, pages[-1].resource_version)


def list_kind(
    api: KubeApi, kind: Kind[T], *, path: str | None = None, select: Mapping[str, str] | None = None
) -> Listed[T]:
    """Return every object of a kind, decoded page by page so that few raw objects are in memory at a time.

    `path` (of one namespace) and `select` narrow it down.

    Raises:
        ApiError: see the tree; `Gone` after three attempts.
    """
    return _begun_again(lambda: _collect(raw_pages(api, path or kind.path, limit=kind.page, select=select), kind))


def _begun_again(list_once: Callable[[], R]) -> R:
    for _ in range(_TRIES - 1):
        try:
            return list_once()
        except Gone:
            continue
    return list_once()


def _collect(pages: Iterable[RawList], kind: Kind[T]) -> Listed[T]:
    values: dict[str, T] = {}
    skipped: dict[str, str] = {}
    version = ""
    for page in pages:
        version = page.resource_version
        with COLLECTOR.paused():
            for raw in page.items:
                try:
                    values[tolerant(kind.key, raw)] = tolerant(kind.decode, raw)
                except MalformedObject as problem:
                    skipped[name_of(raw)] = str(problem)
    if skipped:
        _LOG.warning("%d malformed %s skipped: %s", len(skipped), kind.name, "; ".join(skipped.values()))
    return Listed(values=values, resource_version=version, skipped=skipped)


def list_cluster(
    api: KubeApi, *, kinds: Iterable[Kind[Any]] = EVERYTHING, server_time: ServerTime | None = None
) -> Cluster:
    """Return the cluster as it is now; a kind that cannot be listed is named in `unreadable`.

    Raises:
        Unreachable, Misconfigured, Unauthorized: nothing at all can be read.
    """
    server_time = server_time or ServerTime()
    timed = TimedApi(api, server_time)
    listed: dict[str, Listed[Any]] = {}
    unreadable: dict[str, str] = {}
    for kind in kinds:
        try:
            listed[kind.name] = list_kind(timed, kind)
        except _POINTLESS:
            raise
        except ApiError as problem:
            unreadable[kind.name] = str(problem)
    values = {name: one.values for name, one in listed.items()}
    skipped = {name: one.skipped for name, one in listed.items()}
    return assemble(values, now=server_time.now(), unreadable=unreadable, skipped=skipped)
