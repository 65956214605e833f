"""The generated pages of docs/reference: current, and written by one command."""

import subprocess
import sys
from pathlib import Path

import pytest

from bayplan.reference import PAGES, write

DOCS = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.parametrize("name", PAGES)
def test_page_is_current(name: str) -> None:
    assert (DOCS / name).read_text() == PAGES[name](), "stale: run `python -m bayplan.reference`"


def test_pages_are_written_into_a_new_folder(tmp_path: Path) -> None:
    write(tmp_path / "new")

    assert {path.name for path in (tmp_path / "new").iterdir()} == set(PAGES)


def test_command_writes_what_is_in_the_repository(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "bayplan.reference", str(tmp_path)], check=True, timeout=20)

    assert all((tmp_path / name).read_text() == (DOCS / name).read_text() for name in PAGES)
