"""Decoding that survives a malformed object: it is skipped and named; nothing else is swallowed here."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

T = TypeVar("T")

# What reading a field of the wrong shape raises. Anything else is a mistake of ours and must be seen.
_MALFORMED: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)


class MalformedObject(Exception):  # noqa: N818  # it says what the object is
    """An object of the cluster that cannot be read; the text names it and says what is wrong."""


def tolerant(decode: Callable[[Mapping[str, Any]], T], raw: object) -> T:
    """Decode an object.

    Raises:
        MalformedObject: it does not have the shape that its kind promises.
    """
    try:
        return decode(raw)  # type: ignore[arg-type]  # that it may be anything else is the point
    except _MALFORMED as problem:
        raise MalformedObject(f"{name_of(raw)}: {type(problem).__name__}: {problem}") from problem


def name_of(raw: object) -> str:
    """Name an object for a message, as far as it can be named."""
    metadata = raw.get("metadata") if isinstance(raw, dict) else None
    if not isinstance(metadata, dict):
        return "an object without metadata"
    return f"{metadata.get('namespace') or ''}/{metadata.get('name') or '?'}".lstrip("/")
