"""kube-scheduler, the stock one; a run may have several, each with its own configuration."""

from collections.abc import Mapping
from typing import Any

from controlplane import configs
from controlplane.building import Binaries
from controlplane.probing import http_ok
from controlplane.processes import Command, Program
from controlplane.runs import Run


def kube_scheduler(
    run: Run, binaries: Binaries, *, name: str, kubeconfig: str, configuration: Mapping[str, Any]
) -> Program:
    """Return a scheduler; `name` tells several of one run apart (log, port), profiles come from the configuration."""
    port, certificates = run.port(name), run.subfolder(name)
    text = configs.scheduler_configuration(configuration, kubeconfig_file=kubeconfig)
    arguments = [
        binaries.path("kube-scheduler"),
        f"--config={run.write(f'{name}.yaml', text)}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={certificates}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        "--authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics",
    ]
    # The extender is on this machine: a proxy of the environment must not come between them.
    environment = {"NO_PROXY": "127.0.0.1,localhost"}
    ready = http_ok(f"https://127.0.0.1:{port}/readyz", ca_file=certificates / "kube-scheduler.crt")
    return run.program(Command(name=name, arguments=arguments, environment=environment, ready=ready))
