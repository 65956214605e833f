"""A snapshot out of its file, or everything that is wrong with the file; decides nothing about the cluster."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from policies.model.problems import path_text
from policies.model.sections import Location
from sources.snapshots.flaws import Flaw, SnapshotErrors, explain, shown
from sources.snapshots.snapshot import ADAPTER, VERSION, Snapshot, snapshot_of

LARGEST_AMOUNT: Final = 2**62  # two of them still add up in 64 bits
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "nodes": ("name",),
    "pods": ("uid",),
    "workloads": ("ref",),
    "claims": ("namespace", "name"),
    "volumes": ("name",),
    "storage_classes": ("name",),
    "csi_nodes": ("name",),
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
    given = _json(content, file)
    _check_head(given, file)
    flaws = [*_absurd(given, file), *_negative(given, file), *_doubles(given, file)]
    try:
        found = ADAPTER.validate_json(content, strict=True)
    except ValidationError as invalid:
        flaws = [*(explain(error, file=file) for error in invalid.errors(include_url=False)), *flaws]
        raise SnapshotErrors(flaws) from invalid
    if flaws:
        raise SnapshotErrors(flaws)
    return snapshot_of(found)


def _json(content: bytes, file: str) -> Any:  # noqa: ANN401  # whatever JSON it is
    try:
        return json.loads(content)
    except UnicodeDecodeError as cause:
        raise SnapshotErrors([Flaw(file, "", f"byte {cause.start} is not UTF-8; allowed is JSON")]) from cause
    except json.JSONDecodeError as cause:
        message = f"line {cause.lineno}, column {cause.colno}: {cause.msg}; allowed is JSON"
        raise SnapshotErrors([Flaw(file, "", message)]) from cause
    except ValueError as cause:  # Python reads no more digits
        message = f"seen a whole number of over 4300 digits; allowed is {-LARGEST_AMOUNT} to {LARGEST_AMOUNT}"
        raise SnapshotErrors([Flaw(file, "", message)]) from cause
    except RecursionError as cause:
        raise SnapshotErrors([Flaw(file, "", "nested too deeply; allowed is a saved snapshot")]) from cause


def _check_head(given: object, file: str) -> None:
    """Refuse another document, or one of another version, with this one reason instead of hundreds."""
    if not isinstance(given, dict):
        raise SnapshotErrors([Flaw(file, "", f"seen {shown(given)}; allowed is an object, a saved snapshot")])
    for key, allowed in (("kind", "Snapshot"), ("version", VERSION)):
        if given.get(key) != allowed or isinstance(given[key], bool):
            seen = shown(given[key]) if key in given else "nothing"
            raise SnapshotErrors([Flaw(file, key, f"seen {seen}; allowed is {allowed!r}")])


def _absurd(given: object, file: str, at: Location = ()) -> Iterator[Flaw]:
    """Yield the whole numbers that no cluster has, as they are too large to be added up."""
    if isinstance(given, dict | list):
        pairs: Iterable[tuple[str | int, object]] = given.items() if isinstance(given, dict) else enumerate(given)
        for key, value in pairs:
            yield from _absurd(value, file, (*at, key))
    elif isinstance(given, int) and abs(given) > LARGEST_AMOUNT:
        yield Flaw(file, path_text(at), f"seen {given}; allowed is {-LARGEST_AMOUNT} to {LARGEST_AMOUNT}")


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
