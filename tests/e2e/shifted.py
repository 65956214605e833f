"""`bayplan` with a clock that is wrong: `python -m tests.e2e.shifted SECONDS ARGUMENTS`.

Only this process' wall clock is shifted; the monotonic one is right, as on a machine without time synchronisation.
"""

import sys
import time

from bayplan import cli

_RIGHT = time.time


def main(seconds: float, arguments: list[str]) -> None:
    """Run the command with the shifted clock."""
    # every clock of ours asks this module at the moment of the question
    vars(time)["time"] = lambda: _RIGHT() + seconds
    cli.main(arguments)


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2:])
