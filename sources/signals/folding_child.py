"""The child process of `folding`: asks for the series of pods and answers with one number per node.

It reads messages on its standard input until that ends, and writes answers on its standard output; nothing else.
`{"pods": …, "gone": …}` says where pods stand, `{"fold": at}` asks for an answer.
"""

import gc
import logging
import os
import signal
import sys
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from policies.buoyancy.saturation import fresh_values
from policies.model.loading import load
from policies.model.policy import Policy
from policies.model.slos import Slo
from policies.rules.objectives import soft_limit
from policies.values.signals import Grid
from sources.prometheus.adapter import PrometheusSource
from sources.prometheus.errors import QueryError
from sources.signals import frames, queries
from sources.signals.gridding import Ages, Table, grid_of, tabulate
from sources.signals.naming import PodNames
from sources.signals.prometheus_reader import QuerySource
from sources.signals.slack_columns import SlackColumns


def pod_slos(policy: Policy) -> tuple[Slo, ...]:
    """Return the objectives that are measured by pod, in the order that messages number them."""
    return tuple(slo for slo in policy.slos if slo.per == "pod")


class Folder:
    """Where pods stand and what was measured of them lately."""

    def __init__(self, policy: Policy, source: QuerySource) -> None:
        self._signals = policy.signals
        self._source = source
        self._slos = pod_slos(policy)
        self._columns = [SlackColumns(soft_limit(slo, consecutive=1), step=policy.signals.step) for slo in self._slos]

    def take(self, message: Mapping[str, Any]) -> None:
        """Note where pods stand."""
        for slo, pod in message.get("gone", ()):
            self._columns[slo].remove(pod)
        for slo, pod, node, since in message.get("pods", ()):
            self._columns[slo].place(pod, node, since)

    def fold(self, at: float) -> dict[str, Any]:
        """Ask for every objective and return the least average slack by node, and what went wrong."""
        every: dict[str, float] = {}
        verified: dict[str, float] = {}
        failures: dict[str, str] = {}
        for slo, columns in zip(self._slos, self._columns, strict=True):
            columns.advance(at)
            grid = self._measured(slo, columns, at, failures)
            columns.fill(dict(zip(grid.objects, fresh_values(grid)[:, 0].tolist(), strict=True)))
            least = columns.least()
            _lower(every, least)
            if slo.age is not None:
                _lower(verified, least)
        return {"any": every, "verified": verified, "failures": failures}

    def _measured(self, slo: Slo, columns: SlackColumns, at: float, failures: dict[str, str]) -> Grid:
        """Return the newest values; indicator and age one after the other, as each fills 150 MB while it is decoded."""
        name = queries.slo_name(slo.name)
        naming = PodNames(columns, namespaces=self._signals.namespace_label, pods=self._signals.pod_label)
        ages = None
        if slo.age is not None:
            ages = Ages(
                table=self._table(f"{name}.age", slo.age, naming, at, failures), stale_after=self._signals.stale_after
            )
        table = self._table(name, slo.indicator, naming, at, failures)
        return Grid.empty() if table is None else grid_of(table, ages)

    def _table(self, name: str, query: str, naming: PodNames, at: float, failures: dict[str, str]) -> Table | None:
        try:
            table = tabulate(self._source.instant(query, at), naming, np.zeros(1))
        except QueryError as problem:
            failures[name] = str(problem)
            return None
        if table.trouble is not None:
            failures[name] = table.trouble
        return table


def _lower(totals: dict[str, float], least: Mapping[str, float]) -> None:
    for node, slack in least.items():
        totals[node] = min(slack, totals.get(node, slack))


def serve(folder: Folder, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
    """Answer until the parent is gone."""
    while True:
        try:
            message = frames.read(incoming)
        except frames.Closed:
            return
        if "fold" in message:
            frames.write(outgoing, folder.fold(message["fold"]))
            gc.collect()
        else:
            folder.take(message)


def main() -> None:
    """Run as `python -m sources.signals.folding_child`; the first message is the policy as text."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle: it closes our input
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints must not end up between two messages
    policy = load(frames.read(incoming)["policy"], file="the parent's policy").policy
    source = PrometheusSource(policy.signals.prometheus)
    logging.disable()  # the parent tells of every trouble that comes with an answer, in its own log and format
    gc.disable()  # decoding makes 500,000 objects at a time and no cycles: looking for them takes longer than decoding
    try:
        serve(Folder(policy, source), incoming, outgoing)
    finally:
        source.close()


if __name__ == "__main__":
    main()
