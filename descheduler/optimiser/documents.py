"""Problems and answers as JSON: what an external solver reads and writes, and what is saved for replay; runs nothing.

Reading is strict: no unknown field, no number for a text. Every fault is told at once, with its path.
Described for people in docs/reference/solver.md.
"""

from typing import Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from descheduler.optimiser import soundness
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options

VERSION: Final = 1
_LONGEST_VALUE: Final = 80  # arbitrary: an answer of a thousand places does not belong into a log line
_Document = TypeVar("_Document", bound=BaseModel)


class MalformedError(ValueError):
    """A document that cannot be used; `faults` has a line for everything that is wrong with it."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Request(_Strict):
    """What a solver is asked."""

    version: Literal[1] = VERSION
    problem: Problem
    options: Options


class Answer(_Strict):
    """What a solver answers. `proven`: that no plan is better under these options."""

    version: Literal[1] = VERSION
    assignment: Assignment
    proven: bool = False


class Rejected(_Strict):
    """An answer that the checker refused, or a problem that a solver failed on, with all that is needed to try again.

    `violations` says what was wrong. A place that was no number stands in it as the text it showed as.
    """

    version: Literal[1] = VERSION
    solver: str
    problem: Problem
    options: Options
    assignment: tuple[int | str | None, ...]
    violations: tuple[str, ...]


def encode(document: BaseModel) -> bytes:
    """Return any of these documents as JSON."""
    return document.model_dump_json().encode()


def decode_request(content: bytes) -> Request:
    """Return what a solver is asked, or raise `MalformedError`."""
    request = _decode(Request, content, "request")
    _raise_if((*soundness.faults(request.problem), *soundness.option_faults(request.options)))
    return request


def decode_answer(content: bytes, problem: Problem) -> Answer:
    """Return what a solver answered to this problem, or raise `MalformedError`; judges no plan."""
    answer = _decode(Answer, content, "answer")
    _raise_if(tuple(_misplaced(answer.assignment, problem)))
    return answer


def decode_rejected(content: bytes) -> Rejected:
    """Return a saved rejection, or raise `MalformedError`."""
    return _decode(Rejected, content, "rejected")


def _decode(kind: type[_Document], content: bytes, name: str) -> _Document:
    try:
        return kind.model_validate_json(content)
    except ValidationError as invalid:
        faults = tuple(
            _fault(name, error["loc"], error["msg"], error["input"], kind=error["type"])
            for error in invalid.errors(include_url=False, include_context=False)
        )
        raise MalformedError(faults) from None


def _fault(name: str, path: tuple[int | str, ...], message: str, value: object, *, kind: str) -> str:
    where = name + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    if kind == "json_invalid":
        return f"{where}: seen text that is no JSON ({message}); allowed is one JSON object"
    if kind == "missing":
        return f"{where}: seen nothing; allowed is a value"
    if kind in {"extra_forbidden", "unexpected_keyword_argument"}:
        return f"{where}: seen an unknown field; allowed are the documented ones"
    return f"{where}: seen {_shown(value)}; allowed is {message.removeprefix('Input should be ')}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _misplaced(assignment: Assignment, problem: Problem) -> list[str]:
    if len(assignment) != len(problem.items):
        return [
            f"answer.assignment: seen {len(assignment)} places; allowed is one for each of {len(problem.items)} pods"
        ]
    return [
        f"answer.assignment[{at}]: seen {node}; allowed is null, or a node from 0 to {len(problem.sites) - 1}"
        for at, node in enumerate(assignment)
        if node is not None and not 0 <= node < len(problem.sites)
    ]


def _raise_if(faults: tuple[str, ...] | list[str]) -> None:
    if faults:
        raise MalformedError(tuple(faults))
