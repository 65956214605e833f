"""KWOK: plays the kubelet of every node; pods become Ready and end, nothing runs."""

from controlplane.building import Binaries
from controlplane.probing import http_ok
from controlplane.processes import Command, Program
from controlplane.runs import Run


def kwok(run: Run, binaries: Binaries, *, kubeconfig: str) -> Program:
    """Return the KWOK controller of a run, with its default stages."""
    address = f"127.0.0.1:{run.port('kwok')}"
    arguments = [
        binaries.path("kwok"),
        f"--kubeconfig={kubeconfig}",
        # An empty file: the developer's own ~/.kwok/kwok.yaml must not change a test.
        f"--config={run.write('kwok.yaml', '')}",
        "--manage-all-nodes=true",
        "--node-lease-duration-seconds=40",
        f"--server-address={address}",
    ]
    return run.program(Command(name="kwok", arguments=arguments, ready=http_ok(f"http://{address}/healthz")))
