"""`bayplan extender run`: answer kube-scheduler's calls. Wires the service, decides nothing."""

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from bayplan.exits import Unreachable, policy_that_must_be_valid
from bayplan.logs import set_up
from bayplan.options import common_options, port_option
from bayplan.settings import ProcessSettings
from extender.opening import opener
from extender.service import Service, Surroundings
from extender.serving import Listening, Server
from sources.kube.client import connect
from sources.kube.errors import Misconfigured
from sources.policy_file import PolicyFile

_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminAddress:
    """Where the second listener is."""

    host: str
    port: int


@click.group()
def extender() -> None:
    """Answer kube-scheduler's filter, prioritize and preempt calls."""


@extender.command()
@common_options
@click.option(
    "--host",
    envvar="BAYPLAN_HOST",
    default="127.0.0.1",
    show_envvar=True,
    show_default=True,
    help="Address for kube-scheduler's calls; anything but loopback needs a certificate.",
)
@port_option("--port", default=8888, meaning="Port for kube-scheduler's calls.")
@click.option(
    "--admin-host",
    envvar="BAYPLAN_ADMIN_HOST",
    default="127.0.0.1",
    show_envvar=True,
    show_default=True,
    help="Address for probes, metrics and explanations.",
)
@port_option("--admin-port", default=8889, meaning="Port for probes, metrics and explanations.")
@click.option(
    "--tls-certificate", type=_FILE, envvar="BAYPLAN_TLS_CERTIFICATE", show_envvar=True, help="Own certificate (PEM)."
)
@click.option("--tls-key", type=_FILE, envvar="BAYPLAN_TLS_KEY", show_envvar=True, help="Its key (PEM).")
@click.option(
    "--tls-client-ca",
    type=_FILE,
    envvar="BAYPLAN_TLS_CLIENT_CA",
    show_envvar=True,
    help="An authority (PEM); with it, only clients with a certificate of it are answered.",
)
def run(  # noqa: PLR0913  # one parameter an option, all by keyword
    *,
    process: ProcessSettings,
    host: str,
    port: int,
    admin_host: str,
    admin_port: int,
    tls_certificate: Path | None,
    tls_key: Path | None,
    tls_client_ca: Path | None,
) -> None:
    """Answer kube-scheduler's calls.

    On SIGTERM it is not ready any more, finishes what is under way, and ends within 20 s.

    The files of --tls-... are read again for each connection: a rotated certificate needs no restart.
    """
    set_up(process.log_level, process.log_format)
    try:
        listening = Listening(host=host, port=port, certificate=tls_certificate, key=tls_key, client_ca=tls_client_ca)
    except ValueError as problem:
        raise click.UsageError(str(problem)) from problem
    if port == admin_port != 0:
        raise click.UsageError(f"--port and --admin-port are both {port}; allowed are two ports")
    with policy_that_must_be_valid():
        policy_file = PolicyFile(process.policy)
    _check_api(process)
    admin = AdminAddress(host=admin_host, port=admin_port)
    Server(listening, lambda: _service(process, policy_file, listening, admin)).run()


def _check_api(process: ProcessSettings) -> None:
    """Refuse credentials that are of no use before the fork, where it ends the command with its own code."""
    try:
        connect(process.kubeconfig).close()
    except Misconfigured as problem:
        raise Unreachable(str(problem)) from problem


def _service(process: ProcessSettings, policy_file: PolicyFile, listening: Listening, admin: AdminAddress) -> Service:
    policy_file.poll()  # a worker that takes the place of one that died begins with the policy of now
    api = connect(process.kubeconfig)
    return Service(
        Surroundings(
            api=api,
            policy_file=policy_file,
            open_sources=opener(api),
            namespace=process.namespace,
            identity=process.pod_name or socket.gethostname(),
            close=api.close,
            tls_trouble=listening.tls_trouble,
            admin_host=admin.host,
            admin_port=admin.port,
        )
    )
