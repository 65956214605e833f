"""What is listed and watched is granted by the shipped roles, to each service exactly."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sources.kube.kinds import EVERYTHING, Kind, by_name, by_path, by_uid, extender_kinds

DEPLOY = Path(__file__).parents[3] / "deploy" / "common"
NAMESPACE = "bayplan-system"


def granted(file: str) -> set[tuple[str, str]]:
    """Return (group, resource) of everything that a service may list and watch."""
    roles = [raw for raw in yaml.safe_load_all((DEPLOY / file).read_text()) if raw and raw["kind"].endswith("Role")]
    return {
        (group, resource)
        for role in roles
        for rule in role["rules"]
        if {"list", "watch"} <= set(rule["verbs"])
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def named(kind: Kind[Any]) -> tuple[str, str]:
    """Return (group, resource) of a kind, out of its path."""
    parts = kind.path.strip("/").split("/")
    return ("", parts[-1]) if parts[0] == "api" else (parts[1], parts[-1])


def test_descheduler_may_watch_what_it_reads_and_nothing_else() -> None:
    ledger = ("bayplan.dev", "evictionrecords")

    assert granted("descheduler-rbac.yaml") == {*(named(kind) for kind in EVERYTHING), ledger}


def test_extender_may_watch_what_it_reads_and_nothing_else() -> None:
    report = ("bayplan.dev", "deschedulerreports")

    assert granted("extender-rbac.yaml") == {*(named(kind) for kind in extender_kinds(NAMESPACE)), report}


@pytest.mark.parametrize("kind", EVERYTHING, ids=lambda kind: kind.name)
def test_kind_is_named_as_its_path_ends(kind: Kind[Any]) -> None:
    assert kind.path.endswith(f"/{kind.name}")


def test_keys_tell_objects_apart() -> None:
    raw = {"metadata": {"namespace": "shop", "name": "web-0", "uid": "u1"}}

    assert (by_uid(raw), by_name(raw), by_path(raw)) == ("u1", "web-0", "shop/web-0")
