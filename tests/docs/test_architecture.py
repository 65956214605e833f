"""docs/architecture.md names files and folders that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
PATHS = sorted({path for path in re.findall(r"`([\w./*-]+(?:/|\.py))`", PAGE) if not path.startswith("/")})


def homes(path: str) -> list[Path]:
    """Return where a path can be found: from the root, or as a file's name in one of our packages."""
    return [*ROOT.glob(path), *(found for found in ROOT.glob(f"[a-z]*/**/{path}") if ".venv" not in found.parts)]


def test_page_names_many_paths() -> None:
    assert len(PATHS) > 30


@pytest.mark.parametrize("path", PATHS)
def test_path_exists(path: str) -> None:
    assert homes(path)


def test_missing_path_is_found() -> None:
    assert not homes("nowhere.py")


def test_directions_of_imports_are_those_that_are_checked() -> None:
    checked = re.findall(r"^layers = \[(.+)\]$", (ROOT / "pyproject.toml").read_text(), flags=re.MULTILINE)
    told = re.findall(r"^`(\w[\w |]* → .+?)`:", PAGE, flags=re.MULTILINE)

    assert len(told) == 2
    assert [chain.split(" → ") for chain in told] == [re.findall(r'"([^"]+)"', layers) for layers in checked]
