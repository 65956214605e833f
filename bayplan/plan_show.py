"""`bayplan plan show`: the placement plans of a cluster and how far they got. Wires parts together, decides nothing."""

from pathlib import Path

import click

from bayplan.consoles import console
from bayplan.live import cluster
from bayplan.options import kubeconfig_option, namespace_option, output_option
from descheduler.planning.showing import as_json, print_plan, print_plans
from descheduler.planning.store import PlanStore
from policies.values.plans import Plan
from sources.clocks import SystemClock
from sources.kube.api import KubeApi


@click.command()
@click.argument("name", required=False)
@kubeconfig_option
@namespace_option
@output_option
def show(name: str | None, *, kubeconfig: Path | None, namespace: str, output: str) -> None:
    """Show the plan NAME with its steps, or without a name all plans, the newest first."""
    with cluster(kubeconfig) as api:
        plans = found(api, namespace, name)
    print_found(plans, single=name is not None, output=output)


def found(api: KubeApi, namespace: str, name: str | None) -> tuple[Plan, ...]:
    """Return the plan of a name, or all plans, newest first.

    Raises:
        UsageError: there is no plan of that name.
    """
    store = PlanStore(api, namespace=namespace, clock=SystemClock())
    if name is None:
        return tuple(reversed(store.all()))
    plan = store.read(name)
    if plan is None:
        raise click.UsageError(f"there is no plan {name!r} in {namespace}; `bayplan plan show` lists them")
    return (plan,)


def print_found(plans: tuple[Plan, ...], *, single: bool, output: str) -> None:
    """Print what was found."""
    if output == "json":
        click.echo(as_json(plans))
    elif single:
        print_plan(plans[0], console())
    else:
        print_plans(plans, console())
