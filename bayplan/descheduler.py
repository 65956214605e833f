"""`bayplan descheduler run`: evict the pods that a better placement would help. Wires the process, decides nothing."""

import os
import socket
import threading
import uuid
from dataclasses import replace
from pathlib import Path

import click

from bayplan.consoles import console
from bayplan.exits import NoLease, Unreachable, policy_that_must_be_valid
from bayplan.live import NEEDED
from bayplan.logs import set_up
from bayplan.options import common_options, duration, output_option, port_option
from bayplan.settings import ProcessSettings
from bayplan.stopping import stop_on_signals
from descheduler import printing
from descheduler.decisions import CycleResult
from descheduler.planning.results import Result
from descheduler.process import Process, Setting
from descheduler.running import NotLeading
from policies.model.policy import Policy
from sources.kube.api import KubeApi
from sources.kube.client import connect
from sources.kube.errors import ApiError
from sources.policy_file import PolicyFile
from sources.signals.opening import open_signals
from sources.signals.reader import Inventories, OpenReader


@click.group()
def descheduler() -> None:
    """Evict the pods that a better placement would help."""


@descheduler.command()
@common_options
@click.option("--once", is_flag=True, help="Run a single cycle, print what was decided, and end.")
@click.option(
    "--interval",
    callback=duration,
    metavar="DURATION",
    envvar="BAYPLAN_INTERVAL",
    show_envvar=True,
    help="Time from one cycle to the next. Default: the policy's `signals.step`.",
)
@click.option(
    "--host",
    envvar="BAYPLAN_HOST",
    default="127.0.0.1",
    show_envvar=True,
    show_default=True,
    help="The address for probes and metrics.",
)
@port_option("--port", default=8889, meaning="The port for /healthz, /readyz and /metrics; not with --once.")
@click.option(
    "--failed-solves",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="BAYPLAN_FAILED_SOLVES",
    show_envvar=True,
    help="Where to keep the problems whose answer the independent check of plans refused. Default: nowhere.",
)
@output_option
def run(  # noqa: PLR0913  # one argument an option, as click has it
    process: ProcessSettings,
    *,
    once: bool,
    interval: float | None,
    host: str,
    port: int,
    failed_solves: Path | None,
    output: str,
) -> None:
    """Evict the few pods that would fare better elsewhere.

    Those are the ones whose contention or SLO breach is real, lasting and a matter of placement.

    Without --once it runs until SIGTERM. With it, it ends with 4 when the policy says enforce and another process
    holds the Lease; while observing it needs no Lease, and without it writes nothing but events.
    """
    set_up(process.log_level, process.log_format)
    stop = stop_on_signals()
    with policy_that_must_be_valid():
        policy = PolicyFile(process.policy)
    try:
        api = connect(process.kubeconfig)
    except ApiError as problem:
        raise Unreachable(str(problem)) from problem
    setting = _setting(process, api, policy, stop=stop, interval=interval)
    made = Process(replace(setting, failed_solves=failed_solves))
    try:
        if once:
            result = _once(made)
            _print(result, made.planned, output)
            _must_have_seen(result)
        else:
            made.run_loop(host=host, port=port)
    finally:
        api.close()


def _setting(
    process: ProcessSettings, api: KubeApi, policy: PolicyFile, *, stop: threading.Event, interval: float | None
) -> Setting:
    # A restarted container keeps its pod's name, but must not take the records of its predecessor for its own.
    holder = f"{process.pod_name or socket.gethostname()}_{uuid.uuid4()}"

    def open_reader(opened: Policy, inventory: Inventories) -> OpenReader:
        return open_signals(opened, inventory, api=api)

    return Setting(
        api=api,
        policy=policy,
        open_signals=open_reader,
        namespace=process.namespace,
        holder=holder,
        stop=stop,
        interval=interval,
        seed=os.getpid(),
    )


def _once(made: Process) -> CycleResult:
    try:
        return made.run_once()
    except NotLeading as problem:
        raise NoLease(str(problem)) from problem
    except ApiError as problem:
        raise Unreachable(str(problem)) from problem


def _must_have_seen(result: CycleResult) -> None:
    """End with an error where nodes or pods could not be listed: a run that sees nothing must not look well."""
    for kind in NEEDED:
        if (why := result.troubles.get(f"list/{kind}")) is not None:
            raise Unreachable(f"the {kind} cannot be listed: {why}")


def _print(result: CycleResult, planned: Result | None, output: str) -> None:
    if output == "json":
        click.echo(printing.as_json(result, planned))
        return
    wide = console()
    printing.print_table(result, wide)
    if planned is not None:
        printing.print_planned(planned, wide)
