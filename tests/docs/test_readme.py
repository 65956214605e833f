"""README.md names the versions and commands that the repository really has."""

import re
from pathlib import Path

import pytest
import yaml

from descheduler import telling

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
MODULES = ROOT / "controlplane" / "binaries"


def required(file: Path, module: str) -> str:
    """Return the version of a module in a go.mod."""
    (version,) = re.findall(rf"^\s*(?:require )?{re.escape(module)} v(\S+)", file.read_text(), flags=re.MULTILINE)
    return str(version)


def section(heading: str) -> str:
    """Return the text under a heading."""
    return README.partition(f"## {heading}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize(
    ("name", "file", "module"),
    [
        ("Kubernetes", MODULES / "go.mod", "k8s.io/kubernetes"),
        ("etcd", MODULES / "go.mod", "go.etcd.io/etcd/server/v3"),
        ("KWOK", MODULES / "kwok" / "go.mod", "sigs.k8s.io/kwok"),
    ],
)
def test_tested_versions_are_those_that_are_built(name: str, file: Path, module: str) -> None:
    assert f"{name} {required(file, module)}" in section("Tested versions")


def test_go_is_the_one_that_is_needed() -> None:
    (minor,) = re.findall(r"^go (\d+\.\d+)", (MODULES / "go.mod").read_text(), flags=re.MULTILINE)

    assert f"Go {minor} " in README


def test_exactly_two_commands_set_up() -> None:
    commands = re.findall(r"^    (make [\w-]+)", section("See it, test it"), flags=re.MULTILINE)

    assert commands == ["make demo-cluster", "make test"]


def test_every_make_target_that_a_page_names_exists() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    pages = [README, *(page.read_text() for page in ROOT.glob("docs/**/*.md"))]

    named = {name for page in pages for name in re.findall(r"(?:`|^ {4})make ([a-z0-9-]+)", page, flags=re.MULTILINE)}

    assert {"demo-cluster", "test", "e2e"} <= named <= targets


def test_quick_start_asks_for_objects_and_events_that_exist() -> None:
    start = section("Operator's quick start")
    plurals = {yaml.safe_load(file.read_text())["spec"]["names"]["plural"] for file in _crds()}

    assert {"evictionrecords", "placementplans"} <= set(re.findall(r"[a-z]+", start))
    assert {"evictionrecords", "placementplans", "deschedulerreports", "planslots"} == plurals
    assert set(re.findall(r"reason=(\w+)", start)) <= set(telling._REASONS.values())


def _crds() -> list[Path]:
    return sorted((ROOT / "deploy" / "common" / "crds").glob("*.yaml"))
