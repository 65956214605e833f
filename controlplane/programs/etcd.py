"""etcd: one member, on loopback, without fsync (the data does not outlive the run)."""

from controlplane.building import Binaries
from controlplane.probing import http_ok
from controlplane.processes import Command, Program
from controlplane.runs import Run


def etcd(run: Run, binaries: Binaries) -> Program:
    """Return the etcd of a run."""
    clients, peers = endpoint(run), f"http://127.0.0.1:{run.port('etcd-peers')}"
    arguments = [
        binaries.path("etcd"),
        "--name=bayplan",
        f"--data-dir={run.subfolder('etcd')}",
        f"--listen-client-urls={clients}",
        f"--advertise-client-urls={clients}",
        f"--listen-peer-urls={peers}",
        f"--initial-advertise-peer-urls={peers}",
        f"--initial-cluster=bayplan={peers}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]
    return run.program(Command(name="etcd", arguments=arguments, ready=http_ok(f"{clients}/health")))


def endpoint(run: Run) -> str:
    """Return the URL for etcd's clients."""
    return f"http://127.0.0.1:{run.port('etcd')}"
