"""YAML text to plain data with the line of every value; knows no field of the policy.

YAML 1.2's core schema, not PyYAML's 1.1: `off` is a word, `80e9` a number, `1:30` no sexagesimal. Aliases and tags are
refused, so that every line stands for itself; a duplicate key is an error, as the reader cannot know which one counts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import yaml

from policies.model.problems import Problem, path_text
from policies.model.sections import Location

_SURROGATE: Final = re.compile("[\ud800-\udfff]")  # an escape can make one; no encoding can carry it
DEEPEST: Final = 40  # far beyond any policy; keeps a hostile file from exhausting the stack
_CORE: Final = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]{1,18}", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,3})?", "-+0123456789."),
)


def use_core_schema(kind: Any) -> None:  # noqa: ANN401  # PyYAML's loaders and dumpers share no typed base
    """Give a PyYAML loader or dumper class the implicit types of YAML 1.2's core schema, and no others."""
    kind.yaml_implicit_resolvers = {}
    for tag, pattern, first in _CORE:
        kind.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first))


class _Loader(yaml.SafeLoader):
    """Composes nodes with their positions; constructs only plain scalars."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:  # noqa: ANN401  # PyYAML's signature
        event = self.peek_event()  # type: ignore[no-untyped-call]  # types-PyYAML leaves it out
        self.depth += 1
        if isinstance(event, yaml.AliasEvent):
            _refuse("aliases are not allowed; write the value out", event)
        if getattr(event, "tag", None) is not None:
            _refuse(f"seen the tag {event.tag!r}; allowed are values without tags", event)
        if self.depth > DEEPEST:
            _refuse(f"nested deeper than the allowed {DEEPEST} levels", event)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _refuse(problem: str, event: yaml.Event) -> NoReturn:
    raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)  # type: ignore[arg-type]  # never the C one here


use_core_schema(_Loader)


@dataclass(slots=True)
class Document:
    """The data of one YAML document, the line of each location in it, and what is wrong with the text itself."""

    file: str
    data: Any = None
    lines: dict[Location, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line(self, at: Location) -> int:
        """Return the line of a location, or of the nearest one around it that the text has."""
        while at and at not in self.lines:
            at = at[:-1]
        return self.lines.get(at, 1)

    def problem(self, at: Location, message: str) -> Problem:
        """Return a problem at a location."""
        return Problem(file=self.file, line=self.line(at), path=path_text(at), message=message)


def value_at(data: Any, at: Location) -> Any:  # noqa: ANN401  # any YAML value
    """Return what stands at a location; None where there is nothing."""
    for part in at:
        if isinstance(data, list) and isinstance(part, int):
            data = data[part]
        else:
            data = data.get(part) if isinstance(data, dict) else None
    return data


def read(text: str, *, file: str) -> Document:
    """Read one YAML document whose root is a mapping; what is wrong stands in its `problems`."""
    document = Document(file=file)
    try:
        root = _Loader(text).get_single_node()
    except yaml.YAMLError as error:
        document.problems.append(_syntax(error, file, text))
        return document
    if root is None:
        document.problems.append(document.problem((), "the file is empty; allowed is one Policy"))
    elif not isinstance(root, yaml.MappingNode):
        seen = "a list" if isinstance(root, yaml.SequenceNode) else f"the text {root.value[:40]!r}"
        document.problems.append(document.problem((), f"seen {seen}; allowed is one Policy, a mapping"))
    else:
        document.data = _Reading(document).value(root, ())
    return document


def _syntax(error: yaml.YAMLError, file: str, text: str) -> Problem:
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        said = (getattr(error, "context", None), getattr(error, "problem", error))
        line, words = mark.line + 1, ", ".join(str(words) for words in said if words)
    else:  # a character that YAML does not allow, with its position
        position = getattr(error, "position", 0)
        line, words = text.count("\n", 0, position) + 1, f"character {text[position]!r} is not allowed"
    return Problem(file=file, line=line, path="", message=f"not YAML: {words}")


@dataclass(frozen=True, slots=True)
class _Reading:
    document: Document

    def value(self, node: yaml.Node, at: Location) -> Any:  # noqa: ANN401  # any YAML value
        self.document.lines.setdefault(at, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            return dict(self._entries(node, at))
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*at, index)) for index, item in enumerate(node.value)]
        if _SURROGATE.search(node.value):
            self.document.problems.append(self.document.problem(at, "half a surrogate pair; allowed is Unicode text"))
        return _scalar(node)

    def _entries(self, node: yaml.MappingNode, at: Location) -> Iterator[tuple[str, Any]]:
        seen: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                self.document.problems.append(self.document.problem(at, f"line {line} has a key that is no word"))
                continue
            key = str(key_node.value)
            if key in seen:
                self._again((*at, key), line=line, first=seen[key])
                continue
            seen[key] = line
            self.document.lines[(*at, key)] = line
            yield key, self.value(value_node, (*at, key))

    def _again(self, at: Location, *, line: int, first: int) -> None:
        message = f"seen again (first in line {first}); allowed is each key once"
        self.document.problems.append(Problem(file=self.document.file, line=line, path=path_text(at), message=message))


def _scalar(node: yaml.Node) -> str | int | float | bool | None:
    """Convert a plain scalar by the kind that `_CORE` saw in it; everything else is text."""
    match node.tag.rpartition(":")[2]:
        case "bool":
            return str(node.value).lower() == "true"
        case "null":
            return None
        case "int":
            return int(node.value)
        case "float":
            return float(node.value)
        case _:
            return str(node.value)
