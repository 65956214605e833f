"""A snapshot out of its file, or everything that is wrong with the file; decides nothing about the cluster."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from policies.model.problems import path_text
from policies.model.sections import Location
from sources.snapshots.flaws import Flaw, SnapshotErrors, explain, shown
from sources.snapshots.snapshot import ADAPTER, VERSION, Snapshot, snapshot_of
from sources.snapshots.texts import LARGEST_AMOUNT, Doubled, too_deep, values

DEEPEST: Final = 100  # no member of a snapshot is half as deep
_SURROGATE: Final = re.compile("[\ud800-\udfff]")  # an escape can make one; no encoding can carry it
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "nodes": ("name",),
    "pods": ("uid",),
    "workloads": ("ref",),
    "claims": ("namespace", "name"),
    "volumes": ("name",),
    "storage_classes": ("name",),
    "csi_nodes": ("name",),
    "csi_drivers": ("name",),
    "volume_attachments": ("name",),
    "records": ("name",),
    "standings": ("node",),
}


def read_snapshot(path: Path) -> Snapshot:
    """Read a saved snapshot.

    Raises:
        SnapshotErrors: the file cannot be read or holds no snapshot; all faults are in it.
    """
    try:
        content = path.read_bytes()
    except OSError as cause:
        raise SnapshotErrors([Flaw(str(path), "", f"cannot be read: {cause.strerror or cause}")]) from cause
    return parse_snapshot(content, file=str(path))


def parse_snapshot(content: bytes, *, file: str) -> Snapshot:
    """Return the snapshot in some bytes; `file` is the name that errors show.

    Raises:
        SnapshotErrors: there is none in them; all faults are in it.
    """
    given = values(content, file)
    _check_head(given, file)
    flaws = [*_odd(given, file), *_negative(given, file), *_doubles(given, file)]
    try:
        found = ADAPTER.validate_json(content, strict=True)
    except ValidationError as invalid:
        errors = [error for error in invalid.errors(include_url=False) if error["type"] != "json_invalid" or not flaws]
        raise SnapshotErrors([*(explain(error, file=file) for error in errors), *flaws]) from invalid
    if flaws:
        raise SnapshotErrors(flaws)
    return snapshot_of(found)


def _check_head(given: object, file: str) -> None:
    """Refuse another document, or one of another version, with this one reason instead of hundreds."""
    if not isinstance(given, dict):
        raise SnapshotErrors([Flaw(file, "", f"seen {shown(given)}; allowed is an object, a saved snapshot")])
    for key, allowed in (("kind", "Snapshot"), ("version", VERSION)):
        if given.get(key) != allowed or isinstance(given[key], bool):
            seen = shown(given[key]) if key in given else "nothing"
            raise SnapshotErrors([Flaw(file, key, f"seen {seen}; allowed is {allowed!r}")])


def _odd(given: object, file: str) -> Iterator[Flaw]:
    """Yield what the types of a snapshot let pass and no cluster has: members given twice, absurd numbers, no text."""
    left: list[tuple[Location, object]] = [((), given)]
    while left:
        at, value = left.pop()
        if len(at) > DEEPEST:
            raise too_deep(file)
        if isinstance(value, Doubled):
            yield from (
                Flaw(file, path_text((*at, name)), "seen twice or more; allowed is once") for name in value.names
            )
        if isinstance(value, dict):
            left.extend(((*at, name), member) for name, member in reversed(value.items()))
            yield from (Flaw(file, path_text(at), _half(name)) for name in value if _SURROGATE.search(name))
        elif isinstance(value, list):
            left.extend(((*at, index), member) for index, member in reversed(tuple(enumerate(value))))
        elif isinstance(value, int) and abs(value) > LARGEST_AMOUNT:
            yield Flaw(file, path_text(at), f"seen {value}; allowed is {-LARGEST_AMOUNT} to {LARGEST_AMOUNT}")
        elif isinstance(value, str) and _SURROGATE.search(value):
            yield Flaw(file, path_text(at), _half(value))


def _half(text: str) -> str:
    return f"seen half a surrogate pair in {shown(text)}; allowed is Unicode text"


def _negative(given: Mapping[str, object], file: str) -> Iterator[Flaw]:
    """Yield requests below nothing, which no API server lets in; an allocatable may be, below its reserves."""
    pods = given.get("pods")
    for at, pod in enumerate(pods if isinstance(pods, list) else ()):
        requests = pod.get("requests") if isinstance(pod, dict) else None
        amounts = requests.get("amounts") if isinstance(requests, dict) else None
        for name, amount in amounts.items() if isinstance(amounts, dict) else ():
            if isinstance(amount, int) and amount < 0:
                place = path_text(("pods", at, "requests", "amounts", name))
                yield Flaw(file, place, f"seen {amount}; allowed is 0 or more")


def _doubles(given: Mapping[str, object], file: str) -> Iterator[Flaw]:
    """Yield what stands in a list twice under the same name: only one of them would be kept."""
    for member, keys in _NAMES.items():
        listed = given.get(member)
        objects = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        names = Counter("/".join(_name(one.get(key)) for key in keys) for one in objects)
        for name, count in names.items():
            if count > 1:
                yield Flaw(file, member, f"seen {name} {count} times; allowed is once")


def _name(value: object) -> str:
    return " ".join(map(str, value.values())) if isinstance(value, dict) else str(value)
