"""A child for tests: answers on its line with its arguments and what it was sent, or never ends."""

import sys
import time
from multiprocessing.connection import Connection


def main(arguments: list[str]) -> None:
    """Answer until the line ends."""
    if not arguments:
        sys.stdout.buffer.write(sys.stdin.buffer.readline().upper())
        return
    with Connection(int(arguments[0])) as line:
        try:
            while True:
                line.send((arguments[1:], line.recv()))
        except EOFError:
            if "stubborn" in arguments:
                time.sleep(60)


if __name__ == "__main__":
    main(sys.argv[1:])
