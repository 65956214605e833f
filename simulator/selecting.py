"""Label and field selectors of list and watch requests, from their text; reads objects, holds none."""

import re
from collections.abc import Callable
from typing import Any, Final

from policies.values.selectors import LabelSelector, Operator, Requirement
from simulator.failures import bad_request
from simulator.jsons import Raw
from simulator.kinds import Kind

Test = Callable[[Raw], bool]

_COMMAS: Final = re.compile(r",(?![^(]*\))")
_SET: Final = re.compile(r"^(\S+)\s+(in|notin)\s+\(([^)]*)\)$")
_EQUALITY: Final = re.compile(r"^([^=!]+?)\s*(==|!=|=)\s*(.*)$")
_FIELDS: Final = {
    "pods": ("spec.nodeName", "spec.schedulerName", "status.phase", "status.nominatedNodeName"),
    "events": (
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "reason",
    ),
}


def parse_labels(text: str) -> LabelSelector:
    """Read `a=b,c!=d,e in (x,y),!f,g`."""
    return LabelSelector(tuple(_requirement(part.strip()) for part in _COMMAS.split(text) if part.strip()))


def _requirement(text: str) -> Requirement:
    if match := _SET.match(text):
        values = tuple(value.strip() for value in match[3].split(","))
        return Requirement(match[1], Operator.IN if match[2] == "in" else Operator.NOT_IN, values)
    if match := _EQUALITY.match(text):
        return Requirement(match[1], Operator.NOT_IN if match[2] == "!=" else Operator.IN, (match[3],))
    if text.startswith("!"):
        return Requirement(text[1:], Operator.DOES_NOT_EXIST)
    return Requirement(text, Operator.EXISTS)


def selector_of(raw: Raw | None) -> LabelSelector | None:
    """Read a `selector` of an object: None where it is absent, which matches nothing."""
    if raw is None:
        return None
    equal = [Requirement(key, Operator.IN, (value,)) for key, value in raw.get("matchLabels", {}).items()]
    listed = [
        Requirement(entry["key"], Operator(entry["operator"]), tuple(entry.get("values") or ()))
        for entry in raw.get("matchExpressions", ())
    ]
    return LabelSelector((*equal, *listed))


def field(raw: Raw, path: str) -> Any:  # noqa: ANN401  # any JSON value
    """Return what stands at `a.b.c`, None where a part of the way is missing."""
    value: Any = raw
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def parse_fields(text: str, kind: Kind) -> Test:
    """Read `spec.nodeName=n1,status.phase!=Failed`, as far as the kind supports the fields."""
    known = ("metadata.name", "metadata.namespace", *_FIELDS.get(kind.plural, ()))
    wanted: list[tuple[str, bool, str]] = []
    for part in filter(None, text.split(",")):
        match = _EQUALITY.match(part)
        if match is None or match[1] not in known:
            raise bad_request(f"field label not supported: {part!r}; supported for {kind.plural}: {', '.join(known)}")
        wanted.append((match[1], match[2] != "!=", match[3]))
    return lambda raw: all(((field(raw, path) or "") == value) == equal for path, equal, value in wanted)


def test_of(query: dict[str, str], kind: Kind, namespace: str | None) -> Test:
    """Return the test that a list or watch request asks for."""
    labels = parse_labels(query.get("labelSelector", ""))
    fields = parse_fields(query.get("fieldSelector", ""), kind)

    def passes(raw: Raw) -> bool:
        meta = raw["metadata"]
        inside = namespace is None or meta.get("namespace") == namespace
        return inside and labels.matches(meta.get("labels") or {}) and fields(raw)

    return passes
