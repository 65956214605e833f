"""The newest readings of nodes and workloads, asked for and decoded by a child process; computes nothing.

Thirty thousand series take the interpreter a third of a second, and a call that waits behind that misses its 10 ms:
measured with 5,000 nodes, a p99 of 24 ms with the queries in this process. A child hands over arrays instead.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from policies.model.dumping import dump
from policies.model.policy import Policy
from policies.values.signals import SignalHistory
from sources import children
from sources.signals.reader import Inventories
from sources.signals.troubles import Troubles

_DECODING: Final = 10.0  # seconds for the child's start and its work beside the queries
Addresses: TypeAlias = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Question:
    """What the child is asked: readings at a moment; the nodes' addresses are told only when they have changed."""

    at: float
    addresses: Addresses | None = None


class ReadingApart:
    """Implements `NodeSignals`. A child that dies or is late is ended; the next reading starts another one."""

    def __init__(self, policy: Policy, inventory: Inventories) -> None:
        self._policy = policy
        self._inventory = inventory
        self._patience = 2 * policy.signals.prometheus.timeout + _DECODING
        self._child: _Child | None = None
        self._closed = False
        self._troubles = Troubles()
        self._lock = threading.Lock()

    def latest(self, at: float) -> SignalHistory:
        """Return one column of readings; nothing but the cause where the child did not answer.

        Troubles are logged here: the child knows nothing of this process's log.
        """
        with self._lock:
            if self._closed:
                return self._nothing(at, "the readings were closed")
            history = self._ask(at)
            if not self._closed:
                self._troubles.replace(history.failures)
            return history

    def close(self) -> None:
        """End the child, and with it the wait of whoever is being answered."""
        self._closed = True
        child = self._child
        if child is not None:
            child.kill()
        with self._lock:
            self._end()

    def _ask(self, at: float) -> SignalHistory:
        try:
            self._child = self._child or _Child(self._policy)
            return self._child.ask(at, self._addresses(), patience=self._patience)
        except (EOFError, OSError) as problem:
            self._end()
            return self._nothing(at, f"the child was ended and is started again: {problem}")

    def _addresses(self) -> Addresses:
        """Return what names the series of each node."""
        return {name: node.addresses for name, node in dict(self._inventory().nodes).items()}

    def _nothing(self, at: float, cause: str) -> SignalHistory:
        return SignalHistory(times=np.array([at]), step=self._policy.signals.step, failures={"reading": cause})

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class _Child:
    """The process, our end of the line to it, and the nodes that it knows."""

    def __init__(self, policy: Policy) -> None:
        self._told: Addresses | None = None
        self._line, self._process = children.on_pipe("extender.reading_child")
        self._line.send(dump(policy))

    def ask(self, at: float, addresses: Addresses, *, patience: float) -> SignalHistory:
        """Return its answer.

        Raises:
            EOFError, OSError: it has died, or does not answer in time.
        """
        self._line.send(Question(at, None if addresses == self._told else addresses))
        if not self._line.poll(patience):
            raise TimeoutError(f"no answer within {patience:.0f} s")
        answer: SignalHistory = self._line.recv()
        self._told = addresses
        return answer

    def kill(self) -> None:
        """End the process at once; who waits for its answer sees the line break."""
        self._process.kill()

    def end(self) -> None:
        """End the process: its line closes, and if that is not enough it is killed."""
        self._line.close()
        children.end(self._process)
