"""node_exporter of the machine (Debian's package), with the collectors that the shipped signals read."""

from controlplane.probing import http_ok
from controlplane.processes import Command, Program
from controlplane.programs.prometheus import find
from controlplane.runs import Run

_COLLECTORS = ("cpu", "pressure", "schedstat", "meminfo", "loadavg")


def node_exporter(run: Run) -> Program:
    """Return the node_exporter of a run; its address is `address(run)`."""
    arguments = [
        find("prometheus-node-exporter"),
        f"--web.listen-address={address(run)}",
        "--collector.disable-defaults",
        *(f"--collector.{name}" for name in _COLLECTORS),
        "--log.level=warn",
    ]
    ready = http_ok(f"http://{address(run)}/metrics")
    return run.program(Command(name="node-exporter", arguments=arguments, ready=ready))


def address(run: Run) -> str:
    """Return host and port, as a scrape configuration wants them."""
    return f"127.0.0.1:{run.port('node-exporter')}"
