"""Starts what a row needs: stand-ins, references, services; ends all of it with the run. Measures nothing."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
import yaml

from bench.building import GoPrograms
from controlplane import probing
from controlplane.processes import Command, Program
from controlplane.runs import Run
from launching.launches import DIRECT, Kind, Launch
from launching.services import Service

_GUNICORN: Final = Path(sys.executable).with_name("gunicorn")
_AS_IN_IMAGES: Final = {"MALLOC_ARENA_MAX": "2"}
_PATIENCE: Final = 180.0


@dataclass(frozen=True, slots=True)
class Stage:
    """A run's folder and ports, the Go programs, the seed of everything that is drawn."""

    run: Run
    go: GoPrograms
    seed: int

    def url(self, name: str) -> str:
        """Return where the program of this name listens."""
        return f"http://127.0.0.1:{self.run.port(name)}"

    def program(self, name: str, arguments: Sequence[str | Path], *, ready: str) -> Program:
        """Return a program, not started yet, that is ready when this path of its answers."""
        command = Command(
            name=name,
            arguments=[*map(str, arguments)],
            environment={**DIRECT, **_AS_IN_IMAGES},
            ready=probing.http_ok(self.url(name) + ready),
            within=_PATIENCE,
        )
        return self.run.program(command)

    def module(self, name: str, *arguments: str, ready: str) -> Program:
        """Return one of the stand-ins, which are modules of `bench.loads`."""
        port = str(self.run.port(name))
        return self.program(
            name, [sys.executable, "-m", f"bench.loads.{name}", "--port", port, *arguments], ready=ready
        )

    def prometheus(self, plan: dict[str, Any]) -> Program:
        """Return the stand-in Prometheus."""
        file = self.run.folder / "plan.json"
        file.write_bytes(orjson.dumps(plan))
        return self.module("prometheus", "--plan", str(file), ready="/thinking")

    def go_echo(self) -> Program:
        """Return the Go echo."""
        return self.program("go", [self.go.echo, "--port", str(self.run.port("go"))], ready="/healthz")

    def flask_echo(self) -> Program:
        """Return the Flask echo, served as the extender is: one worker, four threads, connections kept."""
        options = ["--worker-class=gthread", "--workers=1", "--threads=4", "--keep-alive=120", "--log-level=warning"]
        bind = f"--bind=127.0.0.1:{self.run.port('flask')}"
        return self.program("flask", [_GUNICORN, *options, bind, "bench.echoing:create_app()"], ready="/healthz")

    def extender(self, policy: str, kubeconfig: Path) -> Service:
        """Return the extender; `url("bayplan")` is where kube-scheduler calls it."""
        return Service(self._launch("extender", policy, kubeconfig, name="bayplan"))

    def descheduler(self, policy: str, kubeconfig: Path, *, interval: str) -> Service:
        """Return the descheduler as a loop."""
        return Service(self._launch("descheduler", policy, kubeconfig, f"--interval={interval}", name="descheduler"))

    def _launch(self, kind: Kind, policy: str, kubeconfig: Path, *options: str, name: str) -> Launch:
        return Launch(
            run=self.run,
            kind=kind,
            name=name,
            policy=policy,
            kubeconfig=kubeconfig,
            options=options,
            environment=_AS_IN_IMAGES,
            within=_PATIENCE,
        )

    def plain_kubeconfig(self, server: str) -> Path:
        """Write a kubeconfig for a server without TLS and credentials."""
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "bench", "cluster": {"server": server}}],
            "users": [{"name": "bench", "user": {}}],
            "contexts": [{"name": "bench", "context": {"cluster": "bench", "user": "bench"}}],
            "current-context": "bench",
        }
        return self.run.write("bench.kubeconfig", yaml.safe_dump(content))
