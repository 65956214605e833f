"""The command `bayplan`: its subcommands by name, each imported only when it runs."""

from typing import Final

import click

from bayplan.lazy import Lazy, LazyGroup

COMMANDS: Final = {
    "extender": Lazy("bayplan.extender", "extender", "Answer kube-scheduler's filter, prioritize and preempt calls."),
    "descheduler": Lazy("bayplan.descheduler", "descheduler", "Evict the pods that a better placement would help."),
    "plan": Lazy("bayplan.plan", "plan", "Solve, show and abort placement plans."),
    "snapshot": Lazy("bayplan.snapshot", "snapshot", "Save a cluster, to look at what a plan would do."),
    "policy": Lazy("bayplan.policy", "policy", "Check policies, show presets and the schema."),
}


@click.group(cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="bayplan", prog_name="bayplan")
def main() -> None:
    """Place and repair pods by contention and SLO slack, beside a stock kube-scheduler."""
