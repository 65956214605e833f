"""Equal parts of many objects kept as one object in memory; knows no kind.

Pods of one template say the same about resources, constraints and labels: 150,000 pods fit in memory only if they
share it, and they decode quickly only if it is decoded once. The key is the raw part as bytes, so that sharing can
never mix two parts that differ.
"""

import sys
from collections.abc import Callable
from typing import Final, Generic, TypeVar

import orjson

T = TypeVar("T")
_LIMIT: Final = 50_000  # arbitrary: far above the number of templates, far below what would fill the memory


class Shared(Generic[T]):
    """A bounded store of decoded parts by their raw form; when it is full it starts anew."""

    def __init__(self, decode: Callable[..., T], *, limit: int = _LIMIT) -> None:
        self._decode = decode
        self._limit = limit
        self._known: dict[bytes, T] = {}

    def of(self, *raw: object) -> T:
        """Return the decoded part, the same object for equal raw parts.

        Raises:
            Whatever the decoder raises; orjson's TypeError where the raw part is no JSON.
        """
        key = orjson.dumps(raw)
        found = self._known.get(key)
        if found is None:
            found = self._decode(*raw)
            if len(self._known) >= self._limit:
                self._known.clear()
            self._known[key] = found
        return found


def _labels(raw: dict[str, str]) -> dict[str, str]:
    return {word(key): word(value) for key, value in raw.items()}


_LABELS: Final = Shared(_labels)
_NO_LABELS: Final[dict[str, str]] = {}


def word(text: str) -> str:
    """Return the one copy of a text that many objects carry (a namespace, a node's name)."""
    return sys.intern(text)


def word_or_none(text: str | None) -> str | None:
    """Return the one copy of a text, None where there is none."""
    return sys.intern(text) if text else None


def labels_of(raw: dict[str, str] | None) -> dict[str, str]:
    """Return labels as a mapping that objects with equal labels share: it must not be changed."""
    return _LABELS.of(raw) if raw else _NO_LABELS
