"""`python -m bayplan.reference`: writes the generated pages of docs/reference out of the code they describe."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from policies.model import reference as policy
from policies.rails import reference as rails

FOLDER: Final = Path("docs/reference")
PAGES: Final[Mapping[str, Callable[[], str]]] = {"policy.md": policy.render, "rails.md": rails.render}


def write(folder: Path) -> None:
    """Write every page into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, render in PAGES.items():
        (folder / name).write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
