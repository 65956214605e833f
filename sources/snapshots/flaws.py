"""What is wrong with a saved snapshot, all of it at once, in a reader's words; reads no file.

Each flaw names file and path, what was seen there, and what is allowed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from types import NoneType
from typing import Any, Final, get_args, get_type_hints

from pydantic_core import ErrorDetails

from policies.model.problems import path_text
from policies.model.sections import Location
from sources.snapshots.snapshot import Document

_SHOWN: Final = 60  # characters of a value that a message repeats
_ALLOWED: Final[Mapping[str, str]] = {
    "bool_type": "true or false",
    "dataclass_type": "an object",
    "dict_type": "an object",
    "finite_number": "a finite number",
    "float_type": "a number",
    "frozen_set_type": "a list",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "missing": "this member",
    "string_type": "a text",
    "tuple_type": "a list",
}


@dataclass(frozen=True, slots=True)
class Flaw:
    """One fault. `path` is where it is in the document (`pods[3].requests.amounts.cpu`), empty for the whole."""

    file: str
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.path}: {self.message}" if self.path else f"{self.file}: {self.message}"


class SnapshotErrors(Exception):  # noqa: N818  # it is all errors of a file at once
    """A file that holds no snapshot, with every fault in it, in the order of the document."""

    def __init__(self, flaws: Sequence[Flaw]) -> None:
        self.flaws = tuple(flaws)
        super().__init__("\n".join(str(flaw) for flaw in self.flaws))


def explain(error: ErrorDetails, *, file: str) -> Flaw:
    """Return one of pydantic's errors in a reader's words."""
    at = _place(error)
    if error["type"] == "unexpected_keyword_argument":
        known = ", ".join(members_at(at[:-1]))
        return Flaw(file, path_text(at), f"seen a member that is not known; allowed here: {known}")
    seen = "nothing" if error["type"] == "missing" else shown(error["input"])
    return Flaw(file, path_text(at), f"seen {seen}; allowed is {_allowed(error)}")


def _place(error: ErrorDetails) -> Location:
    at = tuple(error["loc"])
    return at[:-1] if at and at[-1] == "[key]" else at


def _allowed(error: ErrorDetails) -> str:
    if error["type"] in {"literal_error", "enum"}:
        return str(error["ctx"]["expected"])
    return _ALLOWED.get(error["type"], f"something else: {error['msg']}")


def members_at(at: Location) -> tuple[str, ...]:
    """Name the members that the object at a place may have."""
    kind: Any = Document
    for part in at:
        kind = _inner(kind, part)
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def _inner(kind: Any, part: str | int) -> Any:  # noqa: ANN401  # types as typing gives them
    if is_dataclass(kind):
        return _sole(get_type_hints(kind).get(str(part)))
    arguments = get_args(kind)
    return _sole(arguments[0 if isinstance(part, int) else -1]) if arguments else None


def _sole(kind: Any) -> Any:  # noqa: ANN401  # types as typing gives them
    """Take `| None` off a type."""
    members = [member for member in get_args(kind) if member is not NoneType]
    return members[0] if NoneType in get_args(kind) else kind


def shown(value: object) -> str:
    """Return a value as a message repeats it, cut where it is long."""
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
