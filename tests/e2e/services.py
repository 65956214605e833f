"""Bayplan's two services as real processes against a real control plane: numbered, given a pod, cleared away.

How they are started is said in `launching`; of what they decide it knows nothing.
"""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from bayplan import presets
from controlplane import objects
from controlplane.clusters import ControlPlane
from controlplane.objects import Object, PodShape
from controlplane.waiting import wait_until
from launching import installing, single
from launching.launches import BAYPLAN, Launch, Policy
from launching.paths import LEASES, OWN, PLANS, PODS, RECORDS, REPORT, REPORTS, SLOTS
from launching.services import Service
from launching.single import Cycle
from policies.model.text import read
from simulator.jsons import merged

_LOUD = "--log-level=debug"
_NUMBERS = itertools.count(1)


def preset(name: str, **changes: object) -> str:
    """Return a shipped preset as text, with what an operator sets merged in, mapping by mapping."""
    shipped = read(presets.text(name), file=name).data
    return yaml.safe_dump(merged(shipped, changes), sort_keys=False)


@dataclass(frozen=True, slots=True)
class Services:
    """Starts services on one control plane; every one of them is a context manager, ready when entered."""

    plane: ControlPlane

    def extender(
        self,
        policy: Policy,
        *,
        name: str = "",
        on: str = "",
        kubeconfig: Path | None = None,
        options: Sequence[str] = (),
    ) -> "Extender":
        """Return an extender, not started yet.

        `on` is the node of its own pod, which it needs in order to wake sleeping pods; without it there is no such pod.
        `kubeconfig` is the administrator's unless given; `options` are further flags.
        """
        launch = Launch(
            run=self.plane.run,
            kind="extender",
            name=name or f"bayplan-extender-{next(_NUMBERS)}",
            policy=policy,
            kubeconfig=kubeconfig or self.plane.admin_kubeconfig,
            options=(_LOUD, *options),
        )
        return Extender(launch, self.plane, node=on)

    def descheduler(
        self,
        policy: Policy,
        *,
        name: str = "",
        interval: str = "",
        kubeconfig: Path | None = None,
        launcher: Sequence[str] = (),
    ) -> Service:
        """Return a descheduler that loops, not started yet; `interval` is the policy's step unless given.

        `launcher` is what is started instead of the command `bayplan`.
        """
        options = (_LOUD, *([f"--interval={interval}"] if interval else []))
        return Service(self._descheduler(policy, name=name, kubeconfig=kubeconfig, launcher=launcher, options=options))

    def cycle(self, policy: Policy, *, kubeconfig: Path | None = None, launcher: Sequence[str] = ()) -> Cycle:
        """Run a single cycle of the descheduler to its end, whatever that is."""
        return single.cycle(self._descheduler(policy, kubeconfig=kubeconfig, launcher=launcher, options=(_LOUD,)))

    def once(self, policy: Policy, *, kubeconfig: Path | None = None) -> dict[str, Any]:
        """Run a single cycle of the descheduler and return what it printed; an error if it failed."""
        return self.cycle(policy, kubeconfig=kubeconfig).checked().printed

    def _descheduler(
        self,
        policy: Policy,
        *,
        options: tuple[str, ...],
        name: str = "",
        kubeconfig: Path | None,
        launcher: Sequence[str],
    ) -> Launch:
        return Launch(
            run=self.plane.run,
            kind="descheduler",
            name=name or f"bayplan-descheduler-{next(_NUMBERS)}",
            policy=policy,
            kubeconfig=kubeconfig or self.plane.admin_kubeconfig,
            options=options,
            launcher=tuple(launcher) or (BAYPLAN,),
        )

    def records(self) -> list[Object]:
        """Return every eviction record."""
        return self.plane.admin.items(RECORDS)

    def record_of(self, pod: str) -> Object | None:
        """Return the record of a pod's eviction by the pod's name."""
        return next((raw for raw in self.records() if raw["spec"]["pod"]["name"] == pod), None)

    def report(self) -> Object:
        """Return the status of the descheduler's report; empty before the first one."""
        found = self.plane.admin.find(REPORT) or {}
        status: Object = found.get("status", {})
        return status


class Extender(Service):
    """A running extender, with a pod of its own on a node unless that is empty."""

    def __init__(self, launch: Launch, plane: ControlPlane, *, node: str) -> None:
        super().__init__(launch)
        self._plane = plane
        self._node = node

    def __enter__(self) -> Self:
        self._make_pod()
        return super().__enter__()

    def start(self) -> None:
        """Start it and do not wait until it is ready; whoever does sees to its end."""
        self._make_pod()
        self.program.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._plane.admin.delete(f"{PODS}/{self.name}", gracePeriodSeconds="0")

    def _make_pod(self) -> None:
        if not self._node:
            return
        api = self._plane.admin
        account = f"/api/v1/namespaces/{OWN}/serviceaccounts/default"
        wait_until(lambda: api.find(account), f"the default ServiceAccount of {OWN}")
        api.create(PODS, objects.pod(self.name, PodShape(cpu="10m", spec={"nodeName": self._node})))


@contextmanager
def installed(plane: ControlPlane) -> Iterator[Services]:
    """Bring in Bayplan's CRDs and namespace, and take away afterwards what its services wrote there."""
    installing.install(plane)
    try:
        yield Services(plane)
    finally:
        for path in (RECORDS, REPORTS, LEASES, SLOTS, PLANS):
            plane.admin.delete(path)
