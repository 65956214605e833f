"""Walks the types of the policy by location: which section stands where, what its keys are; reads no values."""

from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from pydantic.fields import FieldInfo

from policies.model.policy import Policy
from policies.model.sections import Location, Section


def keys(section: type[Section]) -> dict[str, FieldInfo]:
    """Return a section's fields by the key they have in YAML."""
    return {field.alias or name: field for name, field in section.model_fields.items()}


def section_at(at: Location) -> type[Section] | None:
    """Return the section that stands at a location, None where there is another kind of value or nothing."""
    kind: Any = Policy
    for part in at:
        kind = _bare(_inner(kind, part))
    return kind if isinstance(kind, type) and issubclass(kind, Section) else None


def field_at(at: Location) -> FieldInfo | None:
    """Return the field of a location, None where it is an item of a list or mapping, or nothing."""
    section = section_at(at[:-1]) if at else None
    return keys(section).get(str(at[-1])) if section is not None else None


def _inner(kind: Any, part: str | int) -> Any:  # noqa: ANN401  # types as typing gives them
    if isinstance(kind, type) and issubclass(kind, Section):
        field = keys(kind).get(str(part))
        return field.annotation if field is not None else None
    arguments = get_args(kind)
    if get_origin(kind) is tuple and isinstance(part, int):
        return arguments[0]
    if get_origin(kind) is dict:
        return arguments[1]
    return None


def _bare(kind: Any) -> Any:  # noqa: ANN401  # types as typing gives them
    """Take `Annotated` and `| None` off a type."""
    if get_origin(kind) is Annotated:
        return _bare(get_args(kind)[0])
    members = [member for member in get_args(kind) if member is not NoneType]
    if NoneType in get_args(kind) and len(members) == 1:
        return _bare(members[0])
    return kind
