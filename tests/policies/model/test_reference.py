"""The reference page and the schema: complete, and of one mind with the models."""

from collections.abc import Iterator

import pytest
import yaml

from policies.model.policy import Policy
from policies.model.reference import render
from policies.model.schema import default_text, json_schema
from policies.model.sections import Section
from policies.model.structure import field_at, keys, section_at


def sections(kind: type[Section]) -> Iterator[type[Section]]:
    """Return every kind of section below one, by its subclasses: all of them belong to the policy."""
    yield kind
    for below in kind.__subclasses__():
        yield from sections(below)


ALL = [kind for kind in sections(Section) if kind is not Section]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_field_says_what_it_means_and_why_its_default(kind: type[Section]) -> None:
    for key, field in keys(kind).items():
        text = field.description or ""
        plain = not field.is_required() and section_at_annotation(field.annotation) is None
        assert text.endswith("."), f"{kind.__name__}.{key} lacks a description"
        assert not plain or "Default" in text, f"{kind.__name__}.{key} does not say why its default"


def section_at_annotation(annotation: object) -> type[Section] | None:
    """Return the section that an annotation is, None for any other kind."""
    return annotation if isinstance(annotation, type) and issubclass(annotation, Section) else None


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_setting_stands_on_the_page(kind: type[Section]) -> None:
    page = render()

    assert all(f"* **`{key}`** (" in page for key in keys(kind))


def test_schema_knows_every_key_and_refuses_others() -> None:
    schema = json_schema()

    for kind in ALL:
        part = schema if kind is Policy else schema["$defs"][kind.__name__]
        assert set(part["properties"]) == set(keys(kind))
        assert part["additionalProperties"] is False


def test_defaults_in_the_schema_are_written_as_an_operator_would() -> None:
    schema = json_schema()["$defs"]

    assert schema["Signals"]["properties"]["step"]["default"] == "15s"
    assert schema["Signals"]["properties"]["minCoverage"]["default"] == "80%"
    assert "default" not in schema["Slo"]["properties"]["atMost"]
    assert "default" not in schema["Slo"]["properties"]["name"]


@pytest.mark.parametrize("value", [True, 2, 0.5, "10m", [{"a": 1}, "b"], {"a": [False]}])
def test_written_default_reads_back(value: object) -> None:
    assert yaml.safe_load(default_text(value)) == value


def test_places_lead_to_sections_and_fields() -> None:
    slo = section_at(("slos", 3))

    assert slo is not None
    assert slo.__name__ == "Slo"
    assert section_at(("slos", "x")) is None
    assert section_at(("signals", "resources", "cpu", "node", "deeper")) is None
    assert (
        field_at(("signals", "resources", "cpu", "node"))
        is keys(section_at(("signals", "resources", "x")) or Section)["node"]
    )
    assert field_at(()) is None
    assert field_at(("zzz", "y")) is None
