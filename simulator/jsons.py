"""Small operations on JSON values: copies, merge patches, timestamps; knows no kind."""

from datetime import UTC, datetime
from typing import Any, TypeAlias

import orjson

Raw: TypeAlias = dict[str, Any]


def copied(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """Return a deep copy, by way of bytes as a real answer would come; what JSON cannot carry is an error."""
    return orjson.loads(orjson.dumps(value))


def merged(target: Any, patch: Any) -> Any:  # noqa: ANN401  # any JSON values
    """Return `target` after a JSON merge patch (RFC 7386): null removes, objects merge, all else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def timestamp(seconds: float) -> str:
    """Return Unix seconds in the API's form, cut to whole seconds as the API server does."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds(text: str) -> float:
    """Return Unix seconds of a timestamp in the API's form."""
    return datetime.fromisoformat(text).timestamp()
