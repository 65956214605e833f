"""`python -m bayplan.reference`: writes docs/reference/policy.md (or the file named) out of the policy's models."""

import sys
from pathlib import Path
from typing import Final

from policies.model.reference import render

PAGE: Final = Path("docs/reference/policy.md")


def write(page: Path) -> None:
    """Write the page."""
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE)
