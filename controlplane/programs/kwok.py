"""KWOK: plays the kubelet of every node; pods become Ready and end, nothing runs."""

from pathlib import Path

from controlplane.building import Binaries
from controlplane.probing import http_ok
from controlplane.processes import Command, Program
from controlplane.runs import Run

STAGES = Path(__file__).with_name("stages.yaml")


def kwok(run: Run, binaries: Binaries, *, kubeconfig: str) -> Program:
    """Return the KWOK controller of a run, with our stages for pods and its own for nodes."""
    address = f"127.0.0.1:{run.port('kwok')}"
    arguments = [
        binaries.path("kwok"),
        f"--kubeconfig={kubeconfig}",
        # Given, so that the developer's own ~/.kwok/kwok.yaml changes nothing.
        f"--config={STAGES}",
        "--manage-all-nodes=true",
        "--node-lease-duration-seconds=40",
        f"--server-address={address}",
    ]
    return run.program(Command(name="kwok", arguments=arguments, ready=http_ok(f"http://{address}/healthz")))
