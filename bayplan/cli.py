"""The command `bayplan`: its subcommands by name, each imported only when it runs."""

import importlib
from dataclasses import dataclass
from typing import Final, cast

import click


@dataclass(frozen=True, slots=True)
class Lazy:
    """A subcommand that is not imported yet: where it is, and what `--help` says of it."""

    module: str
    attribute: str
    help: str


COMMANDS: Final = {
    "extender": Lazy("bayplan.extender", "extender", "Answer kube-scheduler's filter, prioritize and preempt calls."),
    "descheduler": Lazy("bayplan.descheduler", "descheduler", "Evict the pods that a better placement would help."),
    "policy": Lazy("bayplan.policy", "policy", "Check policies, show presets and the schema."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, and not for `--help`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click's signature
        """Import the command."""
        lazy = COMMANDS.get(cmd_name)
        if lazy is None:
            return None
        return cast("click.Command", getattr(importlib.import_module(lazy.module), lazy.attribute))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # click's
        """Write the help of all commands from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.help) for name, lazy in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="bayplan", prog_name="bayplan")
def main() -> None:
    """Place and repair pods by contention and SLO slack, beside a stock kube-scheduler."""
