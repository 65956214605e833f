"""Policy text to a validated policy, or to every error in it at once; reads no file.

Pydantic checks a section against itself only once all its fields are valid. To find those errors too, what is wrong
is mended in a copy, by a default or an example, and the copy is checked again; what follows from a mended place is
not reported.
"""

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from policies.model.dumping import content_hash
from policies.model.explaining import explain
from policies.model.fields import FROM_TEXT
from policies.model.policy import Policy
from policies.model.problems import PolicyErrors, Problem
from policies.model.sections import Location, all_warnings
from policies.model.structure import field_at, section_at
from policies.model.text import Document, read, value_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A valid policy, the hash of its content, and what an operator may not have meant."""

    policy: Policy
    hash: str
    warnings: tuple[Problem, ...] = ()


def load(text: str, *, file: str) -> Loaded:
    """Read a policy; `file` is the name that errors show.

    Raises:
        PolicyErrors: the text is no YAML or no valid policy; all errors are in it.
    """
    document = read(text, file=file)
    if document.data is None:
        raise PolicyErrors(document.problems)
    policy, found = _validated(document)
    if policy is None or found:
        raise PolicyErrors(sorted(found, key=lambda problem: problem.line))
    warnings = (document.problem(remark.at, remark.message) for remark in all_warnings(policy))
    return Loaded(policy=policy, hash=content_hash(policy), warnings=tuple(sorted(warnings, key=lambda p: p.line)))


def _validated(document: Document) -> tuple[Policy | None, list[Problem]]:
    problems, mended = list(document.problems), _Mended(copy.deepcopy(document.data))
    while True:
        try:
            return _validate(mended.data), problems
        except ValidationError as invalid:
            errors = [error for error in invalid.errors(include_url=False) if not _follows(error)]
        found = [error for error in errors if not mended.explains(error)]
        problems += [_problem(error, document) for error in found]
        causes = [place for error in errors for place in _causes(error)]
        # Where mending does not help, what is around the place is given up.
        if not mended.mend_all(causes) and not mended.mend_all(map(_around, causes)):
            return None, problems


def _validate(data: dict[str, Any]) -> Policy:
    return Policy.model_validate(data, context=FROM_TEXT, by_alias=True, by_name=False)


def _problem(error: ErrorDetails, document: Document) -> Problem:
    at = _place(error)
    return document.problem(at, explain(error, written=value_at(document.data, at)))


def _follows(error: ErrorDetails) -> bool:
    """Tell whether an error only says that there is another: a default not computed, a list short of its bad items."""
    if error["type"] == "too_short":
        return len(error["input"]) >= int(error["ctx"]["min_length"])
    return error["type"] == "default_factory_not_called"


def _place(error: ErrorDetails) -> Location:
    at = tuple(error["loc"])
    return at[:-1] if at[-1] == "[key]" else at  # pydantic's word for "the key itself"


def _causes(error: ErrorDetails) -> list[Location]:
    """Return the places that an error rests on, any of which may be at fault."""
    context = error.get("ctx", {})
    if not context.get("about"):
        return [_place(error)]
    above = tuple(error["loc"])[: len(error["loc"]) - context["depth"]]
    return [(*above, *place) for place in context["about"]]


def _around(at: Location) -> Location:
    """Return the field around a place; the item of a list is no field."""
    above = at[:-1] or at
    return above if isinstance(above[-1], str) else above[:-1]


class _Mended:
    """A copy of the data in which whatever was wrong is replaced by a default or an example."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self._places: set[Location] = set()

    def explains(self, error: ErrorDetails) -> bool:
        """Tell whether an error may come from mending."""
        around = {cause[:end] for cause in _causes(error) for end in range(len(cause) + 1)}
        return not around.isdisjoint(self._places)

    def mend_all(self, places: Iterable[Location]) -> bool:
        """Mend every place; tell whether one of them was not mended before."""
        before = len(self._places)
        for place in places:
            self.mend(place)
        return len(self._places) > before

    def mend(self, at: Location) -> None:
        """Replace or remove what stands at a location, once."""
        if not at or at in self._places:
            return
        self._places.add(at)
        above, field = value_at(self.data, at[:-1]), field_at(at)  # None: mended away already
        if isinstance(above, list):
            self._mend_item(above, at)
        elif isinstance(above, dict) and field is not None and field.examples:
            above[str(at[-1])] = copy.deepcopy(field.examples[0])
        elif isinstance(above, dict):
            above.pop(str(at[-1]), None)

    def _mend_item(self, items: list[Any], at: Location) -> None:
        if section_at(at) is not None:
            items[int(at[-1])] = {}  # what is missing then is mended next
        else:
            self.mend(at[:-1])
