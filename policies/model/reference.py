"""The reference page of the policy, in Markdown, out of the models; writes no file."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from policies.model.schema import default_text, json_schema

_HEAD: Final = """\
# Policy reference

<!-- Generated from policies/model by `python -m bayplan.reference`; change the descriptions there, not here. -->

The policy is the only thing an operator tunes; both services read the same one. `bayplan policy check FILE` checks it,
`bayplan policy preset NAME` prints one to begin with, `bayplan policy schema` prints the JSON schema for editors.

* **duration**: a number with `ms`, `s`, `m`, `h` or `d`, also joined (`1h30m`), `36500d` at most. Without a unit
  only 0 is allowed.
* **share**: `80%`, or a number from 0.0 to 1.0.
* **query**: PromQL.
* Unknown and duplicate keys, YAML aliases and tags are refused. YAML 1.2 is read: `off` is a word, `80e9` a number.
* A valid change takes effect without a restart. An invalid one keeps the old policy, is logged and counted, and shows
  in the detail of `/readyz`.
"""
_WORDS: Final = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}


def render() -> str:
    """Return the whole page."""
    schema = json_schema()
    parts = list(_parts("", schema, schema["$defs"]))
    return "\n".join([_HEAD, *_defaults(parts), *(line for part in parts for line in _prose(part))])


@dataclass(frozen=True, slots=True)
class _Part:
    """A section of the schema with the YAML path at which it stands."""

    path: str
    schema: dict[str, Any]

    @property
    def fields(self) -> dict[str, dict[str, Any]]:
        fields: dict[str, dict[str, Any]] = self.schema["properties"]
        return fields

    def place(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key


def _parts(path: str, schema: dict[str, Any], definitions: dict[str, Any]) -> Iterator[_Part]:
    part = _Part(path, schema)
    yield part
    for key, field in part.fields.items():
        for suffix, name in _inner(field):
            yield from _parts(part.place(key) + suffix, definitions[name], definitions)


def _inner(field: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Return the section that a field holds, if any, with what its path is followed by."""
    if "$ref" in field:
        yield "", field["$ref"].rpartition("/")[2]
    for member in field.get("anyOf", ()):
        yield from _inner(member)
    for key, suffix in (("items", "[]"), ("additionalProperties", ".<name>")):
        if isinstance(field.get(key), dict):
            yield from ((suffix + more, name) for more, name in _inner(field[key]))


def _kind(field: dict[str, Any]) -> str:
    if "format" in field:
        return str(field["format"])
    if "enum" in field or "const" in field:
        return " or ".join(f"`{value}`" for value in field.get("enum", [field.get("const")]))
    if "anyOf" in field:
        return " or ".join(_kind(member) for member in field["anyOf"] if member.get("type") != "null")
    if field.get("type") == "array":
        return f"list of {_kind(field['items'])}".replace("of section", "of sections")
    if field.get("type") == "object":
        return f"mapping of names to {_kind(field['additionalProperties'])}".replace("to section", "to sections")
    return _WORDS.get(str(field.get("type")), "section")


def _default(part: _Part, key: str) -> str:
    field = part.fields[key]
    if key in part.schema.get("required", ()):
        return "required"
    if "x-default" in field:
        return str(field["x-default"])
    value = field.get("default")
    if value is None:
        return "none"
    return f"`{default_text(value)}`"


def _defaults(parts: list[_Part]) -> Iterator[str]:
    yield "## All settings and defaults\n\n| setting | kind | default |\n|---|---|---|"
    for part in parts:
        for key, field in part.fields.items():
            if "section" not in _kind(field) or "default" in field:
                yield f"| `{part.place(key)}` | {_kind(field)} | {_default(part, key)} |"
    yield ""


def _prose(part: _Part) -> Iterator[str]:
    title = f"`{part.path}`" if part.path else "The document"
    yield f"## {title}\n\n{part.schema['description']}\n"
    for key, field in part.fields.items():
        yield f"* **`{key}`** ({_kind(field)}). {field['description']}"
    yield ""
