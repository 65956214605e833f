"""Answers of a Prometheus for tests, and where they are asked for."""

from collections.abc import Callable
from typing import Any

from sources.prometheus.adapter import PrometheusSource

INSTANT = "/api/v1/query"
RANGE = "/api/v1/query_range"
AT = 1_800_000_000.25
Opening = Callable[..., PrometheusSource]


def success(*result: Any) -> dict[str, Any]:
    return {"status": "success", "data": {"resultType": "vector", "result": list(result)}}


def one(value: Any = "0.5", **labels: str) -> dict[str, Any]:
    return {"metric": labels or {"instance": "n1"}, "value": [AT, value]}
