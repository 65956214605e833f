"""The whole control plane of one run: etcd, API server, schedulers, controller-manager, KWOK."""

import contextlib
import secrets
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from controlplane import configs, objects
from controlplane.api import Api
from controlplane.auditing import AuditLog
from controlplane.building import Binaries
from controlplane.processes import Program
from controlplane.programs import apiserver
from controlplane.programs.controller_manager import kube_controller_manager
from controlplane.programs.etcd import etcd
from controlplane.programs.kwok import kwok
from controlplane.programs.scheduler import kube_scheduler
from controlplane.runs import Run
from controlplane.terminating import sigterm_interrupts
from controlplane.waiting import wait_until

SchedulerConfiguration = Path | Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a control plane consists of.

    `nodes` nodes of the shape `node` are made at the start. Without `controllers` nothing makes ReplicaSets' pods, and
    pods need no ServiceAccount. `scheduler` configures the stock scheduler; None leaves it out. `users` may log in with
    their static tokens and have only the rights that RBAC objects give them. `keep` leaves the folder with logs.
    """

    nodes: int = 0
    node: objects.NodeShape = field(default_factory=objects.NodeShape)
    controllers: bool = True
    kwok: bool = True
    scheduler: SchedulerConfiguration | None = None
    users: tuple[configs.User, ...] = ()
    apiserver_flags: tuple[str, ...] = ()
    controller_flags: tuple[str, ...] = ()
    keep: bool = False


class ControlPlane:
    """A context manager: ready when entered, every process ended by its id when left, whatever happened."""

    def __init__(self, binaries: Binaries, options: Options | None = None) -> None:
        self.options = options or Options(scheduler=configs.without_extender())
        self.binaries = binaries
        self.programs: dict[str, Program] = {}
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            stack.enter_context(sigterm_interrupts())
            self.run = stack.enter_context(Run(keep=self.options.keep))
            stack.callback(self._kill_all)
            self._start(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def server(self) -> str:
        """The URL of the API server."""
        return apiserver.server(self.run)

    @property
    def audit(self) -> AuditLog:
        """What the API server wrote down about evictions and others' writes."""
        return AuditLog(apiserver.audit_log(self.run))

    def connect(self, token: str) -> Api:
        """Return a connection as the owner of a token; the caller closes it."""
        return Api(self.server, ca_file=str(apiserver.ca_file(self.run)), token=token)

    def kubeconfig(self, name: str, token: str) -> Path:
        """Write a kubeconfig for the owner of a token."""
        text = configs.kubeconfig(server=self.server, ca_file=str(apiserver.ca_file(self.run)), token=token)
        return self.run.write(f"{name}.kubeconfig", text)

    def service_account_token(self, namespace: str, name: str, *, seconds: int = 3600) -> str:
        """Return a token of a ServiceAccount from the TokenRequest API (at least 600 s)."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        answer = self.admin.create(path, {"spec": {"expirationSeconds": seconds}})
        token: str = answer["status"]["token"]
        return token

    def kubectl(self, *arguments: str, given: str | None = None) -> str:
        """Run kubectl as the administrator and return what it printed; `given` is its standard input.

        Raises:
            CalledProcessError: it failed; `stderr` has its words.
        """
        command = [self.binaries.path("kubectl"), f"--kubeconfig={self.admin_kubeconfig}"]
        cache = f"--cache-dir={self.run.folder / 'kubectl-cache'}"
        done = subprocess.run(
            [*command, cache, *arguments], input=given, capture_output=True, text=True, check=True, timeout=120
        )
        return done.stdout

    def wait_established(self, *names: str) -> None:
        """Wait until these CustomResourceDefinitions are served; `kubectl wait` fails on one without conditions."""
        root = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        wait_until(
            lambda: all(objects.established(self.admin.get(f"{root}/{name}")) for name in names),
            f"{', '.join(names)} to be served",
        )

    def add_nodes(self, count: int, *, prefix: str = "node", shape: objects.NodeShape | None = None) -> list[str]:
        """Create nodes and, where KWOK plays their kubelets, wait until they take pods; return their names."""
        names = [f"{prefix}-{number}" for number in range(1, count + 1)]
        for name in names:
            self.admin.create("/api/v1/nodes", objects.node(name, shape or self.options.node))
        if self.options.kwok:
            waiting = set(names)
            wait_until(lambda: waiting <= self._nodes_that_take_pods(), f"{count} nodes to take pods")
        return names

    def start_scheduler(self, name: str, configuration: SchedulerConfiguration) -> Program:
        """Start one more stock scheduler (or replace the one of this name) and wait until it is ready."""
        if name in self.programs:
            self.programs.pop(name).kill()
        program = self._scheduler(name, configuration)
        self.programs[name] = program
        program.start()
        program.wait_ready()
        return program

    def stop_scheduler(self, name: str) -> None:
        """End a scheduler."""
        self.programs.pop(name).stop()

    def _start(self, stack: contextlib.ExitStack) -> None:
        admin = configs.User(name="admin", token=secrets.token_hex(16), groups=("system:masters",))
        scheduler = configs.User(name="system:kube-scheduler", token=secrets.token_hex(16))
        self._scheduler_token = scheduler.token
        users = (admin, scheduler, *self.options.users)
        self._launch(etcd(self.run, self.binaries))
        self.programs["etcd"].wait_ready()
        self._launch(
            apiserver.kube_apiserver(
                self.run,
                self.binaries,
                users=users,
                controllers=self.options.controllers,
                flags=self.options.apiserver_flags,
            )
        )
        self.programs["kube-apiserver"].wait_ready()
        self.admin = stack.enter_context(self.connect(admin.token))
        self.admin_kubeconfig = self.kubeconfig("admin", admin.token)
        self._start_others()
        self.add_nodes(self.options.nodes)

    def _start_others(self) -> None:
        kubeconfig = str(self.admin_kubeconfig)
        if self.options.controllers:
            flags = self.options.controller_flags
            self._launch(kube_controller_manager(self.run, self.binaries, kubeconfig=kubeconfig, flags=flags))
        if self.options.kwok:
            self._launch(kwok(self.run, self.binaries, kubeconfig=kubeconfig))
        if self.options.scheduler is not None:
            self._launch(self._scheduler("kube-scheduler", self.options.scheduler))
        for program in self.programs.values():
            program.wait_ready()

    def _launch(self, program: Program) -> None:
        self.programs[program.command.name] = program
        program.start()

    def _scheduler(self, name: str, configuration: SchedulerConfiguration) -> Program:
        given = yaml.safe_load(configuration.read_text()) if isinstance(configuration, Path) else configuration
        kubeconfig = str(self.kubeconfig("kube-scheduler", self._scheduler_token))
        return kube_scheduler(self.run, self.binaries, name=name, kubeconfig=kubeconfig, configuration=given)

    def _nodes_that_take_pods(self) -> set[str]:
        return {node["metadata"]["name"] for node in self.admin.items("/api/v1/nodes") if objects.takes_pods(node)}

    def _kill_all(self) -> None:
        # Nothing outlives a run, so nobody is asked politely; in reverse, so that few complain about the API server.
        for program in reversed(self.programs.values()):
            program.kill()
        self.programs.clear()
