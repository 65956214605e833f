"""`python -m demo`: builds and starts what is needed, tells the story, ends everything; 1 if it did not come true."""

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from rich.console import Console

from controlplane.api import ApiRefusedError
from controlplane.building import BuildError
from controlplane.processes import ProgramError
from controlplane.toolchain import ToolchainError
from controlplane.waiting import NotInTimeError
from demo import displays, tables
from demo.displays import Clock
from demo.results import Results
from demo.stage import stage
from demo.story import Story
from demo.watching import Watcher

_INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration; 0 if all came true, 1 if not, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    parser.add_argument("--plain", action="store_true", help="print lines even on a terminal")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all logs, and say where it is")
    given = parser.parse_args(arguments)
    console, clock = displays.console(), Clock()
    try:
        found = _run(console, clock, plain=given.plain, keep=given.keep)
    except KeyboardInterrupt:
        console.print("interrupted; everything that was started has been ended")
        return _INTERRUPTED
    except (BuildError, ToolchainError, ProgramError, NotInTimeError, ApiRefusedError, OSError) as error:
        console.print(f"the demonstration ended early: {error}", markup=False)
        return 1
    console.print(tables.ending(found))
    console.print(verdict(found), markup=False)
    return 0 if found.came_true else 1


def _run(console: Console, clock: Clock, *, plain: bool, keep: bool) -> Results:
    lines = displays.Lines(console, clock)
    with stage(lines.tell, keep=keep) as built:
        with displays.display(console, clock, plain=plain) as shown:
            found = Story(Watcher(built), shown, clock).tell()
        lines.tell("ending everything that was started")
    return found


def verdict(found: Results) -> str:
    """Return the last line."""
    if found.failure:
        return f"The story broke off after {found.seconds:.0f} s: {found.failure}"
    told = f"told in {found.seconds:.0f} s"
    return f"All of it came true, {told}." if found.came_true else f"Not all of it came true, {told}: see FALSE above."


if __name__ == "__main__":
    sys.exit(main())
