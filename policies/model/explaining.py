"""Pydantic's errors in an operator's words: what was seen, what is allowed; decides nothing about the policy."""

import difflib
from collections.abc import Callable, Mapping
from typing import Final

from pydantic_core import ErrorDetails

from policies.model.fields import shown
from policies.model.sections import Location
from policies.model.structure import keys, section_at

_KINDS: Final[Mapping[str, str]] = {
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "finite_number": "a finite number",
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "model_type": "a mapping",
    "string_type": "text (quote it where it looks like something else)",
    "tuple_type": "a list",
}
_BOUNDS: Final[Mapping[str, tuple[str, str]]] = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}
_NAMES: Final[Mapping[type, str]] = {bool: "a switch", int: "a number", float: "a number", str: "text"}


def explain(error: ErrorDetails, *, written: object) -> str:
    """Return one sentence for one error of pydantic; `written` is what the text has at its place."""
    kind, context = error["type"], error.get("ctx", {})
    match kind:
        case "extra_forbidden":
            return _unknown_key(tuple(error["loc"]))
        case "missing":
            return "missing; it must be given"
        case "conflict":
            return str(context["text"])
        case "value_error":
            return str(context["error"])
    return f"seen {_seen(written)}; allowed is {_allowed(error)}"


def _allowed(error: ErrorDetails) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        return f"{words} {context[key]:g}"
    if kind == "literal_error":
        return str(context["expected"])
    if kind in {"too_short", "string_too_short"}:
        return f"{context['min_length']} or more"
    return _KINDS.get(kind, f"something else: {error['msg']}")


def _seen(value: object) -> str:
    if isinstance(value, dict | list | tuple):
        return f"a {'mapping' if isinstance(value, dict) else 'list'} of {len(value)}"
    word = _NAMES.get(type(value))
    return f"{shown(value)} ({word})" if word else shown(value)


def _unknown_key(at: Location) -> str:
    section = section_at(at[:-1])
    known = list(keys(section)) if section is not None else []
    near = _nearest(str(at[-1]), known)
    hint = f"did you mean {near}? " if near else ""
    return f"unknown key; {hint}allowed here: {', '.join(known)}"


def _nearest(key: str, known: list[str]) -> str | None:
    plain: Callable[[str], str] = lambda word: word.replace("_", "").replace("-", "").lower()  # noqa: E731  # used twice
    by_plain = {plain(word): word for word in known}
    found = difflib.get_close_matches(plain(key), by_plain, n=1, cutoff=0.6)
    return by_plain[found[0]] if found else None
