"""The child process of `reading_apart`: asks the policy's queries and hands over arrays; it decides nothing.

Run as `python -m extender.reading_child DESCRIPTOR`; the first message is the policy as text, then come questions.
"""

import gc
import logging
import signal
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection

from extender.reading_apart import Addresses, Question
from policies.model.loading import load
from policies.values.nodes import Node
from sources.signals.opening import open_signals
from sources.signals.reader import Inventory


class Known:
    """The nodes that the parent told of last."""

    def __init__(self) -> None:
        self.nodes: Mapping[str, Node] = {}

    def take(self, addresses: Addresses) -> None:
        """Replace them."""
        self.nodes = {name: Node(name=name, addresses=found) for name, found in addresses.items()}

    def __call__(self) -> Inventory:
        """Return whom there is to measure."""
        return Inventory(nodes=self.nodes)


def serve(line: Connection) -> None:
    """Answer until the parent is gone."""
    known = Known()
    reader = open_signals(load(line.recv(), file="the parent's policy").policy, known)
    try:
        while True:
            question: Question = line.recv()
            if question.addresses is not None:
                known.take(question.addresses)
            line.send(reader.latest(question.at))
            gc.collect()
    except (EOFError, OSError):
        return
    finally:
        reader.close()


def main() -> None:
    """Serve on the descriptor given as the argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle: it closes our line
    logging.disable()  # the parent tells of every trouble that comes with an answer, in its own log and format
    gc.disable()  # decoding makes many objects at a time and no cycles
    serve(Connection(int(sys.argv[1])))


if __name__ == "__main__":
    main()
