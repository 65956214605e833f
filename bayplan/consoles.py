"""Where tables are printed: as wide as the terminal, and as wide as they need where nobody has one; prints nothing."""

import os
import sys
from typing import Final

from rich.console import Console

_ENDLESS: Final = 10_000  # columns: in a file or a pipe a row is one line, and no name in it is cut


def console() -> Console:
    """Return a console on standard output; `COLUMNS` says otherwise how wide it is."""
    wide = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else _ENDLESS
    return Console(highlight=False, width=wide)
