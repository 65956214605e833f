"""The bytes of a snapshot's file to JSON values, or what is wrong with them in a reader's words; reads no file.

What parsers say ("Expecting value") speaks of their grammar. Here it is what was seen, where, and what stands there in
a saved snapshot; a file that is cut off, packed or in another encoding is called that.
"""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from sources.snapshots.flaws import Flaw, SnapshotErrors, shown

LARGEST_AMOUNT: Final = 2**62  # two of them still add up in 64 bits
_WHOLE: Final = "allowed is a whole file of `bayplan snapshot save`"
_BEGINNINGS: Final[Mapping[bytes, str]] = {
    b"\x1f\x8b": "a gzip file; allowed is JSON: unpack it first",
    b"\x28\xb5\x2f\xfd": "a zstd file; allowed is JSON: unpack it first",
    b"PK\x03\x04": "a zip file; allowed is JSON: unpack it first",
    b"\xef\xbb\xbf": "a byte order mark; allowed is UTF-8 without one",
    b"\xff\xfe": "UTF-16 or UTF-32; allowed is UTF-8",
    b"\xfe\xff": "UTF-16; allowed is UTF-8",
}
# json's own words, as far as it has any for what may stand at a place.
_ALLOWED: Final[Mapping[str, str]] = {
    "Expecting value": "a value of JSON",
    "Expecting property name enclosed in double quotes": "a name in double quotes",
    "Expecting ',' delimiter": "a comma, or the end of the list or object",
    "Expecting ':' delimiter": "a colon",
    "Extra data": "the end of the file",
    "Invalid control character at": "a text with its control characters escaped",
    "Invalid \\escape": "an escape of JSON",
    "Invalid \\uXXXX escape": "four hexadecimal digits after \\u",
}
_NEAR: Final = 20  # characters of the text that a message repeats


class Doubled(dict[str, Any]):
    """An object that has some members twice: only the last of each is in it."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counts = Counter(name for name, _ in pairs)
        self.names = tuple(name for name, count in counts.items() if count > 1)


def values(content: bytes, file: str) -> Any:  # noqa: ANN401  # whatever JSON it is
    """Return what the bytes hold; an object with doubled members is a `Doubled`. `file` is the name that errors show.

    Raises:
        SnapshotErrors: they are no JSON.
    """
    text = _text(content, file)
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as cause:
        raise _refused(file, _syntax(cause)) from cause
    except ValueError as cause:  # Python reads no more digits
        message = f"seen a whole number of over 4300 digits; allowed is {-LARGEST_AMOUNT} to {LARGEST_AMOUNT}"
        raise _refused(file, message) from cause
    except RecursionError as cause:
        raise too_deep(file) from cause


def too_deep(file: str) -> SnapshotErrors:
    """Return the error for a document that no snapshot is as deep as."""
    return _refused(file, "nested too deeply; allowed is a saved snapshot")


def _text(content: bytes, file: str) -> str:
    for beginning, words in _BEGINNINGS.items():
        if content.startswith(beginning):
            raise _refused(file, f"seen {words}")
    try:
        text = content.decode()
    except UnicodeDecodeError as cause:
        message = f"seen byte {content[cause.start]:#04x} at {cause.start}, which is not UTF-8; allowed is JSON"
        raise _refused(file, message) from cause
    if not text.strip():
        seen = "white space and nothing else" if text else "an empty file"
        raise _refused(file, f"seen {seen}; {_WHOLE}")
    return text


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else Doubled(pairs)


def _syntax(error: json.JSONDecodeError) -> str:
    where = f"line {error.lineno}, column {error.colno}"
    rest = error.doc[error.pos :].strip()
    if not rest or error.msg.startswith("Unterminated"):
        return f"ends in the middle, in {where}; {_WHOLE}"
    allowed = next((words for begin, words in _ALLOWED.items() if error.msg.startswith(begin)), error.msg)
    return f"{where}: seen {shown(rest[:_NEAR])}; allowed is {allowed}"


def _refused(file: str, message: str) -> SnapshotErrors:
    return SnapshotErrors([Flaw(file, "", message)])
