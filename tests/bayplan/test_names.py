"""Our top-level names are generic: none of them may be that of anything we install beside us."""

import importlib.metadata
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
OWN = "bayplan"


def toml(name: str) -> dict[str, Any]:
    """Return a TOML file of the repository."""
    return tomllib.loads((ROOT / name).read_text())


def normal(name: str) -> str:
    """Return a distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


PROJECT = toml("pyproject.toml")
PACKAGES = frozenset(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
OURS = PACKAGES | {path.parent.name for path in ROOT.glob("*/__init__.py")}
LOCKED = frozenset(normal(package["name"]) for package in toml("uv.lock")["package"]) - {OWN}


def installed() -> dict[str, set[str]]:
    """Return the locked distributions that are installed here, with the top-level names they bring."""
    found: dict[str, set[str]] = {}
    for name, owners in importlib.metadata.packages_distributions().items():
        for owner in owners:
            if normal(owner) in LOCKED:
                found.setdefault(normal(owner), set()).add(name)
    return found


INSTALLED = installed()


def test_no_locked_distribution_is_called_like_a_package_of_ours() -> None:
    assert not {normal(name) for name in OURS} & LOCKED


@pytest.mark.parametrize("distribution", sorted(INSTALLED))
def test_locked_distribution_brings_none_of_our_names(distribution: str) -> None:
    assert not INSTALLED[distribution] & OURS


def test_every_dependency_of_ours_was_looked_at() -> None:
    wanted = {normal(re.split(r"[<>=\[ ;]", text)[0]) for text in PROJECT["project"]["dependencies"]}

    assert wanted <= set(INSTALLED)


def test_import_rules_know_every_package_of_ours() -> None:
    assert set(PROJECT["tool"]["importlinter"]["root_packages"]) == OURS - {"tests"}


def test_wheel_has_what_may_not_import_the_rest_and_nothing_else() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    (shipped,) = (one for one in contracts if one["name"].startswith("what is shipped"))

    assert set(shipped["source_modules"]) == PACKAGES
    assert set(shipped["forbidden_modules"]) == OURS - PACKAGES
