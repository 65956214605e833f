"""kube-controller-manager: ReplicaSets, Jobs, PDB status, garbage collection, taints of nodes."""

from collections.abc import Sequence

from controlplane.building import Binaries
from controlplane.probing import http_ok
from controlplane.processes import Command, Program
from controlplane.programs import apiserver
from controlplane.runs import Run


def kube_controller_manager(run: Run, binaries: Binaries, *, kubeconfig: str, flags: Sequence[str] = ()) -> Program:
    """Return the controller-manager of a run."""
    port, certificates = run.port("kube-controller-manager"), run.subfolder("kube-controller-manager")
    arguments = [
        binaries.path("kube-controller-manager"),
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        "--leader-elect=false",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={certificates}",
        f"--root-ca-file={apiserver.ca_file(run)}",
        f"--service-account-private-key-file={run.folder / 'service-accounts.key'}",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        "--profiling=false",
        *flags,
    ]
    ready = http_ok(f"https://127.0.0.1:{port}/healthz", ca_file=certificates / "kube-controller-manager.crt")
    return run.program(Command(name="kube-controller-manager", arguments=arguments, ready=ready))
