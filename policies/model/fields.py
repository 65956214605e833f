"""The kinds of value that a policy is made of: durations in seconds, shares in 0..1; no defaults, no sections."""

import re
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])")


class Section(BaseModel):
    """A part of the policy: frozen, camelCase keys in YAML, unknown keys refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, allow_inf_nan=False
    )


def seconds(value: object) -> float:
    """Read a duration such as `250ms`, `15s`, `1h30m`; a bare number is refused, as its unit would be a guess."""
    if isinstance(value, float):
        return value
    text = str(value)
    parts = _DURATION.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(
            f"{value!r} is not a duration; allowed is a number with ms, s, m, h or d, such as 90s or 1h30m"
        )
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def share(value: object) -> float:
    """Read a share: `80%` or a number from 0 to 1."""
    text = str(value).strip()
    try:
        number = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1 or isinstance(value, bool):
        raise ValueError(f"{value!r} is not a share; allowed is 0% to 100%, or a number from 0 to 1")
    return number


Seconds = Annotated[float, BeforeValidator(seconds)]
Share = Annotated[float, BeforeValidator(share)]
