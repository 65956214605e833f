"""`bayplan plan abort`: stop a placement plan before its next eviction. Wires parts together, decides nothing."""

from pathlib import Path

import click

from bayplan.live import cluster
from bayplan.options import kubeconfig_option, namespace_option
from descheduler.planning.slot import SlotKeeper
from descheduler.planning.store import PlanStore
from policies.values.plans import Plan
from sources.clocks import SystemClock
from sources.kube.api import KubeApi


@click.command()
@click.argument("name", required=False)
@click.option(
    "--reason", default="asked for on the command line", show_default=True, help="Why, for the plan's status."
)
@kubeconfig_option
@namespace_option
def abort(name: str | None, *, reason: str, kubeconfig: Path | None, namespace: str) -> None:
    """Abort the plan NAME, or without a name the one in force. What was evicted already is placed as usual.

    It is written with your own rights: you need to patch placementplans in Bayplan's namespace.
    """
    with cluster(kubeconfig) as api:
        plan = asked(api, namespace, name=name, reason=reason)
    click.echo(f"plan {plan.name} ({plan.phase}) will be aborted before its next eviction")


def asked(api: KubeApi, namespace: str, *, name: str | None, reason: str) -> Plan:
    """Write the wish into the plan and return it.

    Raises:
        UsageError: there is no such plan, or it is over.
    """
    clock = SystemClock()
    store = PlanStore(api, namespace=namespace, clock=clock)
    if name is None:
        name = SlotKeeper(api, namespace=namespace, holder="", clock=clock).read().plan
        if name is None:
            raise click.UsageError(f"no plan is in force in {namespace}; nothing is to be aborted")
    plan = store.read(name)
    if plan is None:
        raise click.UsageError(f"there is no plan {name!r} in {namespace}; `bayplan plan show` lists them")
    if plan.phase.ended:
        raise click.UsageError(f"the plan {name} is over: {plan.phase}")
    return store.ask_to_abort(plan, reason)
