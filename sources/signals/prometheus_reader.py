"""The signals of a policy out of Prometheus: queries in parallel, series to grids, ages beside them.

A query that fails marks its own signal only. No score is computed here, and no failure is raised.
"""

from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from policies.model.policy import Policy
from policies.values.signals import Floats, Grid, ResourceReadings, SignalHistory
from sources.clocks import Clock, SystemClock
from sources.garbage import COLLECTOR
from sources.prometheus.series import Dated, Series, Span
from sources.signals import queries
from sources.signals.asking import Ask, Asker, Failed
from sources.signals.gridding import Ages, Table, grid_of, tabulate
from sources.signals.naming import Naming, NodeNames, PodNames, WorkloadNames
from sources.signals.reader import Inventories, Inventory
from sources.signals.troubles import Troubles

_NODE_FIELDS: Final = ("node", "pressure", "age")
# A Date is cut to seconds and the moment of asking is a lower bound: this much apart is not yet a clock that is wrong.
_AHEAD: Final = 10.0
_EXPECTED: Final = ("node", "pressure", "age")  # without series these are in trouble; pods and SLOs may have none


class QuerySource(Protocol):
    """Prometheus, as far as it is used here."""

    @property
    def dated(self) -> Dated | None:
        """Return what the newest answer said of its clock."""
        ...

    def instant(self, query: str, at: float) -> list[Series]:
        """Evaluate at one moment."""
        ...

    def range(self, query: str, span: Span) -> list[Series]:
        """Evaluate at every step."""
        ...

    def close(self) -> None:
        """Close connections."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Round:
    """One round of questions: the queries asked, their tables by name, the evaluation times."""

    asked: dict[str, str]
    tables: dict[str, Table]
    times: Floats


class PrometheusReader:
    """Implements `SignalReader`; one round of questions at a time per caller."""

    def __init__(
        self, policy: Policy, source: QuerySource, inventory: Inventories, *, clock: Clock | None = None
    ) -> None:
        self._policy = policy
        self._source = source
        self._inventory = inventory
        self._clock = clock or SystemClock()
        self._asker = Asker(timeout=policy.signals.prometheus.timeout, clock=self._clock)
        self._troubles = Troubles()

    def latest(self, at: float) -> SignalHistory:
        """Return one column of nodes and workloads."""
        asked = queries.resource_queries(self._policy, (*_NODE_FIELDS, "workload"))
        return self._history(self._instant(asked, at), workloads=True)

    def history(self, at: float, *, span: float) -> SignalHistory:
        """Return nodes and objectives over a span that ends now; nothing of it where `now` is another one there.

        A clock that is ahead makes every sample look younger than it is, and older than evictions that it shows
        nothing of. One that is behind needs no look: its samples are stale by their own ages.
        """
        began = self._clock.monotonic()
        asked = queries.resource_queries(self._policy, _NODE_FIELDS) | queries.slo_queries(self._policy)
        found = self._range(asked, at, span)
        dated = self._source.dated
        ahead = 0.0 if dated is None else dated.date - (at + dated.received - began)
        return self._history(found if ahead <= _AHEAD else self._disbelieved(found, ahead), workloads=False)

    def pods(self, resource: str, at: float) -> Grid:
        """Return what pods take of one resource."""
        asked = queries.resource_queries(self._policy, ("pod", "pod_age"), resource=resource)
        return self._grid(self._instant(asked, at), f"{resource}.pod")

    def workloads(self, resource: str, at: float) -> Grid:
        """Return what workloads use of one resource."""
        asked = queries.resource_queries(self._policy, ("workload",), resource=resource)
        return self._grid(self._instant(asked, at), f"{resource}.workload")

    def failures(self) -> dict[str, str]:
        """Return the trouble of each query."""
        return dict(self._troubles.now())

    def close(self) -> None:
        """Close threads and connections."""
        self._asker.close()
        self._source.close()

    def _instant(self, asked: dict[str, str], at: float) -> _Round:
        return self._round(asked, np.array([at]), lambda query: self._source.instant(query, at))

    def _range(self, asked: dict[str, str], at: float, span: float) -> _Round:
        step = self._policy.signals.step
        times = at - step * np.arange(int(span / step + 1e-9), -1, -1, dtype=np.float64)
        if len(times) == 1:
            return self._instant(asked, at)
        return self._round(
            asked, times, lambda query: self._source.range(query, Span(start=float(times[0]), end=at, step=step))
        )

    def _round(self, asked: dict[str, str], times: Floats, ask: Ask) -> _Round:
        inventory = self._inventory()
        answers = self._asker.ask(asked, ask)
        naming = Namings(self._policy, inventory)
        tables: dict[str, Table] = {}
        for name, answer in answers.items():
            if isinstance(answer, Failed):
                self._troubles.tell(name, answer.words)
                continue
            with COLLECTOR.paused():
                tables[name] = tabulate(answer, naming.of(name), times)
            self._troubles.tell(name, _trouble(name, tables[name], expected=bool(inventory.nodes)))
        return _Round(asked=asked, tables=tables, times=times)

    def _disbelieved(self, found: _Round, ahead: float) -> _Round:
        words = f"the clock of Prometheus is {ahead:.0f} s ahead of the API server's, allowed are {_AHEAD:.0f} s"
        for name in found.tables:
            self._troubles.tell(name, words)
        return replace(found, tables={})

    def _history(self, found: _Round, *, workloads: bool) -> SignalHistory:
        troubles = self._troubles.now()
        return SignalHistory(
            times=found.times,
            step=self._policy.signals.step,
            resources={
                name: self._readings(found, name, workloads=workloads) for name in self._policy.signals.resources
            },
            slos={
                slo.name: self._grid(found, queries.slo_name(slo.name))
                for slo in self._policy.slos
                if queries.slo_name(slo.name) in found.asked
            },
            failures={name: troubles[name] for name in found.asked if name in troubles},
        )

    def _readings(self, found: _Round, name: str, *, workloads: bool) -> ResourceReadings:
        signal = self._policy.signals.resources[name]
        return ResourceReadings(
            node=self._grid(found, f"{name}.node"),
            pressure=None if signal.pressure is None else self._grid(found, f"{name}.pressure"),
            workload=None if signal.workload is None or not workloads else self._grid(found, f"{name}.workload"),
        )

    def _grid(self, found: _Round, name: str) -> Grid:
        age = queries.age_name(name, found.asked)
        ages = None
        if age is not None:
            ages = Ages(table=found.tables.get(age), stale_after=self._policy.signals.stale_after)
        if name not in found.tables:
            # That it failed today makes it no query without an age: as with stale values, the nodes are not covered.
            return Grid.empty(len(found.times), verified=ages is not None)
        return grid_of(found.tables[name], ages)


class Namings:
    """Which naming goes with which query; made anew for each round, as nodes and pods come and go."""

    def __init__(self, policy: Policy, inventory: Inventory) -> None:
        signals = policy.signals
        self._nodes = NodeNames(inventory.nodes, signals.node_label)
        self._pods = PodNames(inventory.pods, namespaces=signals.namespace_label, pods=signals.pod_label)
        self._workloads = WorkloadNames(namespaces=signals.namespace_label, workloads=signals.workload_label)
        self._by_workload = {queries.slo_name(slo.name) for slo in policy.slos if slo.per == "workload"}

    def of(self, name: str) -> Naming:
        """Return the naming of a query."""
        if name.startswith("slo/"):
            return self._workloads if name.removesuffix(".age") in self._by_workload else self._pods
        field = name.rpartition(".")[2]
        by_field: dict[str, Naming] = {"pod": self._pods, "pod_age": self._pods, "workload": self._workloads}
        return by_field.get(field, self._nodes)


def _trouble(name: str, table: Table, *, expected: bool) -> str | None:
    if table.trouble is None and not table.objects and expected and name.rpartition(".")[2] in _EXPECTED:
        return None if name.startswith("slo/") else "gave no series"
    return table.trouble
