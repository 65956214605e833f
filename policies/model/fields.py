"""The kinds of value that a policy is made of: durations in seconds, shares in 0..1, names, URLs; no defaults.

Every kind says in its error what was seen and what is allowed.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, Strict, ValidationInfo, WithJsonSchema

FROM_TEXT: Final = {"from text": True}  # validation context of a policy file: numbers without a unit are refused there
_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])")
_ALLOWED_DURATION: Final = "allowed is a number with ms, s, m, h or d, such as 90s or 1h30m"
_LONGEST: Final = 36_500 * 86400.0  # a hundred years; timers of the operating system overflow at three hundred
_LONGEST_SHOWN: Final = 60


def shown(value: object) -> str:
    """Return a value as an error quotes it, cut where it is long."""
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def seconds(value: object) -> float:
    """Read a duration such as `250ms`, `15s`, `1h30m`; a bare number is refused, as its unit would be a guess."""
    text = str(value)
    parts = _DURATION.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"{shown(value)} is not a duration; {_ALLOWED_DURATION}")
    found = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if found > _LONGEST:
        raise ValueError(f"seen {shown(value)}; allowed is at most {duration_text(_LONGEST)}")
    return found


def duration_text(value: float) -> str:
    """Write seconds as the shortest duration that reads back as exactly the same number."""
    for unit in ("d", "h", "m"):
        if value and value % _UNITS[unit] == 0:
            return f"{int(value / _UNITS[unit])}{unit}"
    return f"{Decimal(repr(float(value))).normalize():f}s"


def _duration(value: object, info: ValidationInfo) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and (value == 0 or not info.context):
        return float(value)  # type: ignore[arg-type]  # it is a number
    return seconds(value)


def share(value: object) -> float:
    """Read a share: `80%` or a number from 0 to 1."""
    text = str(value).strip()
    try:
        number = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1 or isinstance(value, bool):
        raise ValueError(f"{shown(value)} is not a share; allowed is 0% to 100%, or a number from 0.0 to 1.0")
    return number


def _share(value: object, info: ValidationInfo) -> float:
    # A whole 1 reads as "one node" or "one percent" to some and would mean all of them.
    if info.context and value == 1 and isinstance(value, int):
        raise ValueError("1 could mean one, one percent or all; allowed is 100% or 1.0 for all, 1% for one percent")
    return share(value)


def objective(value: object) -> float:
    """Read an objective: a plain number in the indicator's own unit, or a duration, which counts in seconds."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    try:
        return seconds(value)
    except ValueError:
        raise ValueError(
            f"{shown(value)} is no objective; allowed is a number in the unit of the indicator, or a duration such as "
            "250ms, which is compared in seconds"
        ) from None


def threshold_or_off(value: object) -> object:
    """Let a number up to 1 or the word `off` through."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value == "off" or (is_number and value <= 1):  # type: ignore[operator]  # it is a number
        return value
    raise ValueError(f"{shown(value)} is no threshold of headroom; allowed is a number up to 1, or off")


def count_or_any(value: object) -> object:
    """Let a whole number from 0 or the word `any` through."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if value == "any" or is_count:
        return value
    raise ValueError(f"seen {shown(value)}; allowed is a whole number of 0 or more, or any")


def url(value: str) -> str:
    """Read an http or https address; `host:port` without a scheme means http. A slash at the end is taken off."""
    whole = value if "://" in value else f"http://{value}"
    try:
        parts = urlsplit(whole)
        usable = bool(parts.hostname) and parts.port != 0 and parts.scheme in {"http", "https"}
    except ValueError:  # a port that is no number, an address that is none
        usable = False
    if not usable or re.search(r"[\s?#@]", whole):
        raise ValueError(
            f"{shown(value)} is no address; allowed is http://host:port/path, https://host:port/path or host:port, "
            "without user, password, query or fragment"
        )
    return whole.rstrip("/")


def _matching(pattern: str, kind: str, allowed: str, *, longest: int = 10_000) -> Callable[[str], str]:
    shape = re.compile(pattern)

    def check(value: str) -> str:
        if not shape.fullmatch(value) or len(value) > longest:
            raise ValueError(f"{shown(value)} is no {kind}; allowed is {allowed}")
        return value

    return check


_DNS_LABEL: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED: Final = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_DNS_WORDS: Final = "up to 63 small letters, digits and -, beginning and ending with a letter or digit"
_LABEL_WORDS: Final = "up to 63 letters, digits, -, _ and ., beginning and ending with a letter or digit"

Number = Annotated[float, Strict()]
Count = Annotated[int, Strict(), Field(ge=0)]
Flag = Annotated[bool, Strict()]
Seconds = Annotated[
    float,
    Field(ge=0),
    BeforeValidator(_duration),
    PlainSerializer(duration_text, return_type=str),
    WithJsonSchema({"type": "string", "format": "duration", "pattern": r"^(0|(\d+(\.\d+)?(ms|[smhd]))+)$"}),
]
Share = Annotated[
    float,
    BeforeValidator(_share),
    WithJsonSchema(
        {"anyOf": [{"type": "string", "pattern": r"^\d+(\.\d+)?%$"}, {"type": "number"}], "format": "share"}
    ),
]
Objective = Annotated[
    float,
    Field(gt=0),
    BeforeValidator(objective),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}], "format": "objective"}),
]
ThresholdOrOff = Annotated[Number | Literal["off"], BeforeValidator(threshold_or_off)]
CountOrAny = Annotated[int | Literal["any"], BeforeValidator(count_or_any)]
Url = Annotated[str, AfterValidator(url)]
Query = Annotated[
    str,
    AfterValidator(_matching(r"(?s).*\S.*", "query", "a PromQL expression")),
    WithJsonSchema({"type": "string", "format": "query"}),
]
FilePath = Annotated[str, AfterValidator(_matching(r"/.+", "file", "an absolute path, such as /etc/bayplan/token"))]
Name = Annotated[str, AfterValidator(_matching(_DNS_LABEL, "name", _DNS_WORDS, longest=63))]
Namespace = Annotated[str, AfterValidator(_matching(_DNS_LABEL, "namespace", _DNS_WORDS, longest=63))]
SchedulerName = Annotated[
    str, AfterValidator(_matching(rf"{_DNS_LABEL}(\.{_DNS_LABEL})*", "scheduler name", _DNS_WORDS, longest=253))
]
SeriesLabel = Annotated[
    str, AfterValidator(_matching(r"[A-Za-z_][A-Za-z0-9_]*", "label of a series", "letters, digits and _"))
]
LabelKey = Annotated[
    str,
    AfterValidator(
        _matching(
            rf"({_DNS_LABEL}(\.{_DNS_LABEL})*/)?{_QUALIFIED}", "label key", f"[domain/]name, the name {_LABEL_WORDS}"
        )
    ),
]
LabelValue = Annotated[
    str, AfterValidator(_matching(rf"({_QUALIFIED})?", "label value", f"nothing, or {_LABEL_WORDS}"))
]
HeaderName = Annotated[
    str, AfterValidator(_matching(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", "header name", "letters, digits and -"))
]
HeaderValue = Annotated[
    str, AfterValidator(_matching(r"[\x20-\x7e\t]*", "header value", "printable ASCII in one line"))
]
