"""What every part of the policy has in common: frozen, camelCase in YAML, unknown keys refused, checks of its own.

A section names what contradicts itself (`conflicts`, errors) and what an operator may not have meant (`warnings`);
it must not look beyond itself: what spans sections is checked by the section above.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import InitErrorDetails, PydanticCustomError

Location: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Something to say of a place in the policy, `at` relative to the section that says it.

    `about` names further places that the remark rests on: when one of them is in error itself, the remark is not made.
    """

    at: Location
    message: str
    about: tuple[Location, ...] = ()

    def within(self, prefix: Location) -> "Remark":
        """Return the same remark as seen from the section above."""
        about = tuple((*prefix, *place) for place in self.about)
        return Remark(at=(*prefix, *self.at), message=self.message, about=about)


class Section(BaseModel):
    """A part of the policy."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        allow_inf_nan=False,
        validate_default=False,
    )

    def conflicts(self) -> Iterator[Remark]:
        """Name what contradicts itself within this section; it makes the policy invalid."""
        return iter(())

    def warnings(self) -> Iterator[Remark]:
        """Name what is allowed, but hardly meant."""
        return iter(())

    @model_validator(mode="after")
    def _refuse_conflicts(self) -> Self:
        found = [_as_error(conflict) for conflict in self.conflicts()]
        if found:
            raise ValidationError.from_exception_data(type(self).__name__, found)
        return self


def _as_error(conflict: Remark) -> InitErrorDetails:
    context = {"text": conflict.message, "about": conflict.about, "depth": len(conflict.at)}
    return InitErrorDetails(type=PydanticCustomError("conflict", "{text}", context), loc=conflict.at, input=None)


def all_warnings(section: Section) -> Iterator[Remark]:
    """Return the warnings of a section and of everything below it, each with its whole location."""
    yield from section.warnings()
    for name, field in type(section).model_fields.items():
        yield from _warnings_within(getattr(section, name), (field.alias or name,))


def _warnings_within(value: object, at: Location) -> Iterator[Remark]:
    if isinstance(value, Section):
        yield from (remark.within(at) for remark in all_warnings(value))
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _warnings_within(item, (*at, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _warnings_within(item, (*at, str(key)))
