"""How one of Bayplan's services is started: its command line, its policy file, its ports; starts nothing by itself."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import yaml

from controlplane import probing
from controlplane.processes import Command, Program
from controlplane.runs import Run

# The command of the environment that we run in.
BAYPLAN: Final = str(Path(sys.executable).with_name("bayplan"))
# No proxy stands between processes of one machine, whatever the environment says; some programs read one spelling only.
DIRECT: Final[Mapping[str, str]] = {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
Kind = Literal["extender", "descheduler"]
# A policy as text, or as the structure that it stands for.
Policy = str | Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One service as it is to be started; `name` is that of its log, its files and its ports.

    `pod_name` is the name unless given. `options` are further flags, `launcher` is what is started instead of the
    command `bayplan`, `environment` is added to ours. It has to be ready `within` so many seconds; in the end it is
    asked politely, and killed after `grace` seconds.
    """

    run: Run
    kind: Kind
    name: str
    policy: Policy
    kubeconfig: Path
    pod_name: str = ""
    options: tuple[str, ...] = ()
    launcher: tuple[str, ...] = (BAYPLAN,)
    environment: Mapping[str, str] = field(default_factory=dict)
    within: float = 60.0
    grace: float = 10.0

    @property
    def url(self) -> str:
        """Where kube-scheduler calls it, as a KubeSchedulerConfiguration wants it; only an extender answers there."""
        return f"http://127.0.0.1:{self.run.port(self.name)}/v1"

    @property
    def admin(self) -> str:
        """Where its probes, metrics and explanations are."""
        return f"http://127.0.0.1:{self._admin_port}"

    @property
    def variables(self) -> dict[str, str]:
        """What its environment has beside ours."""
        return {**DIRECT, **self.environment}

    def program(self) -> Program:
        """Return the process, not started yet, with its policy written: it is ready when it says so itself."""
        command = Command(
            name=self.name,
            arguments=self.arguments(*self._listening()),
            environment=self.variables,
            ready=probing.http_ok(f"{self.admin}/readyz"),
            within=self.within,
        )
        return self.run.program(command)

    def once(self, output: Path) -> Program:
        """Return a single cycle of a descheduler, not started yet; it prints its decisions as JSON and ends."""
        arguments = self.arguments("--once", "--output=json")
        command = Command(name=self.name, arguments=arguments, environment=self.variables, output=output)
        return self.run.program(command)

    def arguments(self, *options: str) -> list[str]:
        """Return its command line with these flags, too; the policy is written."""
        return [
            *self.launcher,
            self.kind,
            "run",
            f"--kubeconfig={self.kubeconfig}",
            f"--policy={self.write(self.policy)}",
            f"--pod-name={self.pod_name or self.name}",
            *options,
            *self.options,
        ]

    def write(self, policy: Policy) -> Path:
        """Write a policy and put it in its place at once, as a ConfigMap does; return the file."""
        text = policy if isinstance(policy, str) else yaml.safe_dump(dict(policy), sort_keys=False)
        written = self.run.write(f"{self.name}-policy.new", text)
        return written.replace(self.run.folder / f"{self.name}-policy.yaml")

    def _listening(self) -> list[str]:
        if self.kind == "extender":
            return [f"--port={self.run.port(self.name)}", f"--admin-port={self._admin_port}"]
        return [f"--port={self._admin_port}"]

    @property
    def _admin_port(self) -> int:
        return self.run.port(f"{self.name}-admin")
