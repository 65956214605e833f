"""A process that joins a cgroup and uses a share of one CPU until it is killed: `spinning.py GROUP SHARE`."""

import os
import sys
import time

PERIOD = 0.1


def main(group: str, share: float) -> None:
    """Join, step behind the control plane that runs on the same machine, and compute."""
    with open(f"{group}/cgroup.procs", "w") as members:  # noqa: PTH123  # isolated and short: no imports to spare
        members.write("0")
    os.nice(5)
    while True:
        began = time.process_time()
        while time.process_time() - began < PERIOD * share:
            pass
        if share < 1:
            time.sleep(PERIOD * (1 - share))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
