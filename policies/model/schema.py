"""The JSON schema of the policy, for editors and for the reference page; validates nothing itself."""

import json
from typing import Any

from policies.model.fields import duration_text
from policies.model.policy import Policy


def json_schema() -> dict[str, Any]:
    """Return the schema of a policy as it is written in YAML; defaults are written as an operator would."""
    schema = Policy.model_json_schema(by_alias=True)
    for part in (schema, *schema["$defs"].values()):
        part.pop("title")
        part["properties"] = {key: _tidy(field) for key, field in part["properties"].items()}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Bayplan policy"} | schema


def _tidy(field: dict[str, Any]) -> dict[str, Any]:
    tidy = {key: value for key, value in field.items() if key != "title"}
    default = field.get("default")
    if default is None:
        tidy.pop("default", None)
    elif field.get("format") == "duration":
        tidy["default"] = duration_text(default)
    elif field.get("format") == "share":
        tidy["default"] = f"{default:.0%}"
    return tidy


def default_text(value: object) -> str:
    """Write a default as it would stand in YAML's flow style."""
    if isinstance(value, list):
        return "[" + ", ".join(default_text(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {default_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else json.dumps(value)
