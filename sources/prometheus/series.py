"""Series as the query API sends them, as labels and numbers; joins them with nothing."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from policies.values.signals import Floats
from sources.prometheus.errors import AnswerMalformed

_SHOWN: Final = 160  # characters of a series in a message: enough to find it, not enough to flood a log


class Dated(NamedTuple):
    """A Date header (Unix seconds, cut to whole ones), and our own steady time when it came."""

    date: float
    received: float


class Series(NamedTuple):
    """One series: its labels, and its values with their times, oldest first. `fault` says why there are none.

    A history is 60 samples for each of 1,000 nodes: they are arrays of numbers, as an object for each would cost more
    than all the arithmetic behind it. A tuple, as 20,000 of them are made for the pods of one query.
    """

    labels: Mapping[str, str]
    times: "Sequence[float] | Floats" = ()
    values: "Sequence[float] | Floats" = ()
    fault: str | None = None

    def __str__(self) -> str:
        return shown(self.labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The evaluation times of a range query in Unix seconds: `start`, `start + step`, … `end`."""

    start: float
    end: float
    step: float


class Samples(NamedTuple):
    """Times and values of one series."""

    times: "array[float] | Floats"
    values: "array[float] | Floats"


def shown(labels: Mapping[str, str]) -> str:
    """Write labels as PromQL does, cut to a readable length."""
    text = "{" + ", ".join(f'{name}="{value}"' for name, value in sorted(labels.items())) + "}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…}}"


def vector(result: object) -> list[Series]:
    """Read the result of an instant query.

    Raises:
        AnswerMalformed: it is no vector but a scalar, a string or something that we do not know.
    """
    return [_one(raw) for raw in _entries(result)]


def matrix(result: object) -> list[Series]:
    """Read the result of a range query.

    Raises:
        AnswerMalformed: it is no matrix.
    """
    return [_many(raw) for raw in _entries(result)]


def _entries(result: object) -> list[dict[str, Any]]:
    if isinstance(result, list) and all(
        isinstance(one, dict) and isinstance(one.get("metric"), dict) for one in result
    ):
        return result
    raise AnswerMalformed("the query gave no series but a single number or text; a vector is needed")


def _one(raw: Mapping[str, Any]) -> Series:
    try:
        at, value = raw["value"]
        return Series(raw["metric"], [float(at)], [float(value)])
    except (KeyError, TypeError, ValueError):
        return Series(raw["metric"], fault=_fault(raw))


def compact(answer: object) -> object:
    """Return a decoded answer with the samples of each series of a matrix packed in place; what is no number stays.

    Sixty thousand pairs of JSON are 12 MB of small objects, packed they are one.
    """
    data = answer.get("data") if isinstance(answer, dict) else None
    result = data.get("result") if isinstance(data, dict) else None
    for raw in result if isinstance(result, list) else ():
        if isinstance(raw, dict) and isinstance(raw.get("values"), list):
            raw["values"] = _packed(raw["values"])
    return answer


def _packed(pairs: list[Any]) -> Samples | list[Any]:
    try:
        return Samples(array("d", [float(at) for at, _ in pairs]), array("d", [float(value) for _, value in pairs]))
    except (TypeError, ValueError):
        return pairs


def _many(raw: Mapping[str, Any]) -> Series:
    samples = raw.get("values")
    if isinstance(samples, list):
        samples = _packed(samples)
    if isinstance(samples, Samples):
        return Series(raw["metric"], samples.times, samples.values)
    return Series(raw["metric"], fault=_fault(raw))


def _fault(raw: Mapping[str, Any]) -> str:
    if "histogram" in raw or "histograms" in raw:
        return "holds native histograms, not numbers"
    seen = {key: value for key, value in raw.items() if key != "metric"}
    return f"holds {str(seen)[:80]}, not numbers"
