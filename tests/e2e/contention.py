"""Real contention for the pods of one KWOK node: a cgroup of processes each, with the figures that a kubelet gives.

KWOK's pods use nothing. Here the kernel measures use and pressure; nothing is made up but the names of the series.
"""

import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from controlplane.api import Api
from controlplane.objects import Object
from controlplane.processes import Command, Program
from controlplane.runs import Run
from controlplane.waiting import wait_until

_MOUNTS = (Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup"))
# A process that spins; wants its share of a CPU and, if it is to join one, its group.
SPINNING = (sys.executable, "-I", str(Path(__file__).with_name("spinning.py")))
_LOOK_EVERY = 0.3
_STALL = re.compile(r"^(some|full) .*total=(\d+)$", re.MULTILINE)
_SUFFIXES = {"some": "waiting", "full": "stalled"}


class NoGroupsError(RuntimeError):
    """This machine gives us no cgroup v2 groups with pressure; the text says why."""


def hierarchy() -> Path:
    """Return a folder in which groups of our own can be made.

    Raises:
        NoGroupsError: there is none.
    """
    mounted = [mount for mount in _MOUNTS if (mount / "cgroup.controllers").exists()]
    if not mounted:
        raise NoGroupsError(f"no cgroup v2 hierarchy is mounted at {' or '.join(map(str, _MOUNTS))}")
    tried = mounted[0] / f"bayplan-{os.getpid()}-probe"
    try:
        tried.mkdir()
    except OSError as problem:
        raise NoGroupsError(f"no group can be made in {mounted[0]}: {problem.strerror}") from problem
    measured = (tried / "cpu.pressure").exists()
    tried.rmdir()
    if not measured:
        raise NoGroupsError(f"the groups in {mounted[0]} have no cpu.pressure: the kernel measures no PSI")
    return mounted[0]


@dataclass(frozen=True, slots=True)
class Demand:
    """What the processes of one pod want: so many, each this share of a CPU."""

    processes: int
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Group:
    """The processes of one pod."""

    path: Path
    programs: list[Program] = field(default_factory=list)

    def start(self, run: Run, demand: Demand) -> None:
        """Make the group and its processes."""
        self.path.mkdir()
        for number in range(demand.processes):
            arguments = [*SPINNING, str(demand.share), str(self.path)]
            program = run.program(Command(name=f"{self.path.name}-{number}", arguments=arguments))
            program.start()
            self.programs.append(program)

    def end(self) -> None:
        """Kill the processes and remove the group; the kernel may need a moment to see it empty."""
        for program in self.programs:
            program.kill()
        wait_until(self._removed, f"{self.path} to be empty", timeout=5)

    def cpu_seconds(self) -> float:
        """Return the CPU time that it has used."""
        fields = dict(line.split() for line in (self.path / "cpu.stat").read_text().splitlines())
        return int(fields["usage_usec"]) / 1e6

    def stalls(self, resource: str) -> dict[str, float]:
        """Return the seconds in which some and all of its processes waited for a resource."""
        found = _STALL.findall((self.path / f"{resource}.pressure").read_text())
        return {kind: int(total) / 1e6 for kind, total in found}

    def _removed(self) -> bool:
        with suppress(FileNotFoundError, OSError):
            self.path.rmdir()
        return not self.path.exists()


class Kubelet:
    """Plays one node's kubelet as far as processes go: starts a pod's group when it runs there, kills it when it goes.

    `demands` says by the label `app` what a pod's processes want; others get none. A context manager.
    """

    def __init__(self, run: Run, api: Api, *, node: str, demands: Mapping[str, Demand]) -> None:
        self._run = run
        self._api = api
        self._node = node
        self._demands = demands
        self._parent = hierarchy() / f"bayplan-{os.getpid()}-{node}"
        self._groups: dict[tuple[str, str], Group] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="kubelet")

    def __enter__(self) -> Self:
        self._parent.mkdir()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        for key in list(self._groups):
            self._end(key)
        self._parent.rmdir()
        self._api.close()

    @property
    def pods(self) -> list[str]:
        """Return the names of the pods whose processes run."""
        with self._lock:
            return sorted(pod for _, pod in self._groups)

    def exposition(self, _at: float) -> str:
        """Return what the kubelet's /metrics/cadvisor says of these pods."""
        with self._lock:
            return "".join(line for key, group in self._groups.items() for line in self._lines(*key, group))

    def _lines(self, namespace: str, pod: str, group: Group) -> Iterator[str]:
        # One row for the pod's own cgroup and one for its only container, as cAdvisor gives them.
        for container in ("", "main"):
            path = f"/kubepods/{pod}/{container}"
            labels = f'namespace="{namespace}",pod="{pod}",node="{self._node}",container="{container}",id="{path}"'
            yield f'container_cpu_usage_seconds_total{{{labels},cpu="total"}} {group.cpu_seconds()}\n'
            for resource in ("cpu", "memory", "io"):
                for kind, seconds in group.stalls(resource).items():
                    yield f"container_pressure_{resource}_{_SUFFIXES[kind]}_seconds_total{{{labels}}} {seconds}\n"

    def _work(self) -> None:
        while not self._stop.wait(_LOOK_EVERY):
            found = self._api.items("/api/v1/pods", fieldSelector=f"spec.nodeName={self._node}")
            here = {_key(pod): pod["metadata"]["labels"].get("app", "") for pod in found if _runs(pod)}
            for key in set(self._groups) - set(here):
                self._end(key)
            for key, app in here.items():
                if key not in self._groups and app in self._demands:
                    self._begin(key, self._demands[app])

    def _begin(self, key: tuple[str, str], demand: Demand) -> None:
        group = Group(self._parent / key[1])
        group.start(self._run, demand)
        with self._lock:
            self._groups[key] = group

    def _end(self, key: tuple[str, str]) -> None:
        with self._lock:
            group = self._groups.pop(key)
        group.end()


def _key(pod: Object) -> tuple[str, str]:
    return pod["metadata"]["namespace"], pod["metadata"]["name"]


def _runs(pod: Object) -> bool:
    return pod["status"].get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]
