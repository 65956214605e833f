"""`bayplan plan solve`: what a plan would do, from a saved or a live cluster. Wires parts together, decides nothing."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

import click

from bayplan.consoles import console
from bayplan.exits import BadSnapshot, NotInstalled
from bayplan.live import Whence, live_snapshot, policy_of
from bayplan.options import duration, kubeconfig_option, namespace_option, output_option, policy_option
from bayplan.stopping import stop_on_signals
from descheduler.optimiser.opening import open_solver
from descheduler.optimiser.solution import LARGEST, Solver
from descheduler.planning.printing import as_json, print_tables
from descheduler.planning.trying import Bench
from policies.model.policy import Policy
from sources.clocks import SystemClock
from sources.snapshots.flaws import SnapshotErrors
from sources.snapshots.reading import read_snapshot
from sources.snapshots.snapshot import Snapshot

_SOLVERS: Final = ("bayplan", "released", "repaired", "command")


def _price(_ctx: click.Context, _param: click.Parameter, text: str | None) -> int | Literal["any"] | None:
    """Read a number of disruptions, or `any`."""
    if text is None:
        return None
    if text == "any":
        return "any"
    if not text.isdecimal() or int(text) > LARGEST:
        raise click.BadParameter(f"seen {text!r}; allowed is a whole number of 0 to {LARGEST}, or any")
    return int(text)


@click.command()
@click.argument("snapshot", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@click.option("--live", is_flag=True, help="Take the cluster as it is now instead of a saved snapshot; only reads it.")
@policy_option
@kubeconfig_option
@namespace_option
@click.option(
    "--time-limit", callback=duration, metavar="DURATION", help="How long each solve may take. Default: the policy's."
)
@click.option(
    "--order", type=click.Choice(["placement-first", "frozen"]), help="What comes first. Default: the policy's."
)
@click.option(
    "--price",
    callback=_price,
    metavar="PODS",
    help="How many more disruptions one more placed pod may cost, or `any`. Default: the policy's.",
)
@click.option("--solver", type=click.Choice(_SOLVERS), help="Which solver is asked. Default: the policy's.")
@click.option(
    "--seed", type=click.IntRange(0, LARGEST), default=1, show_default=True, help="For a run that is to be repeated."
)
@click.option("--no-curve", "alone", is_flag=True, help="Do not solve for other prices as well.")
@output_option
def solve(  # noqa: PLR0913  # one parameter an option, all by keyword
    snapshot: Path | None,
    *,
    live: bool,
    policy: Path | None,
    kubeconfig: Path | None,
    namespace: str,
    time_limit: float | None,
    order: str | None,
    price: int | Literal["any"] | None,
    solver: str | None,
    seed: int,
    alone: bool,
    output: str,
) -> None:
    """Compute the plan for SNAPSHOT, or with --live for the cluster of now, print it, and change nothing.

    Beside the plan stands what it was chosen by, what is proven of it, and how many pods other prices would place.
    """
    if (snapshot is None) == (not live):
        seen = "both a SNAPSHOT and --live" if live else "neither a SNAPSHOT nor --live"
        raise click.UsageError(f"seen {seen}; allowed is either a SNAPSHOT or --live")
    changes = {"time_limit": time_limit, "order": order, "price": price, "solver": solver}
    wanted = _changed(policy_of(policy).policy, changes)
    taken = _read(snapshot) if snapshot else live_snapshot(Whence(kubeconfig=kubeconfig, namespace=namespace), wanted)
    stop = stop_on_signals()
    bench = Bench(
        snapshot=taken,
        policy=wanted,
        own_namespace=namespace,
        solver=_solver(wanted),
        clock=SystemClock(),
        seed=seed,
    )
    computed = bench.attempt(stop)
    points = tuple(bench.curve(computed, stop)) if computed.solution is not None and not alone else ()
    if output == "json":
        click.echo(as_json(computed, points))
    else:
        print_tables(computed, points, console())


def _changed(policy: Policy, changes: Mapping[str, Any]) -> Policy:
    """Return the policy with what the command line says otherwise."""
    given = {name: value for name, value in changes.items() if value is not None}
    plan = policy.plan.model_copy(update=given)
    if plan.solver == "command" and not plan.command:
        raise click.UsageError("seen --solver command and a policy without plan.command; allowed is one with it")
    return policy.model_copy(update={"plan": plan})


def _read(path: Path) -> Snapshot:
    try:
        return read_snapshot(path)
    except SnapshotErrors as errors:
        raise BadSnapshot(str(errors)) from errors


def _solver(policy: Policy) -> Solver:
    try:
        return open_solver(policy.plan, resident=False)
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "ortools":
            raise
        raise NotInstalled(
            f"solver {policy.plan.solver} needs OR-Tools, which is not installed; get it with "
            "`pip install '.[optimiser]'` in a checkout of Bayplan, or choose --solver command"
        ) from missing
