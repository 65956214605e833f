"""A process that uses a share of one CPU until it is killed, in a cgroup if one is given: `spinning.py SHARE GROUP`."""

import os
import sys
import time

PERIOD = 0.1


def main(share: float, *groups: str) -> None:
    """Join, step behind the control plane that runs on the same machine, and compute."""
    for group in groups:
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
    main(float(sys.argv[1]), *sys.argv[2:])
