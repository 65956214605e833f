"""Groups whose commands are imported when they are called, and not for `--help`; knows no command."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import click


@dataclass(frozen=True, slots=True)
class Lazy:
    """A subcommand that is not imported yet: where it is, and what `--help` says of it."""

    module: str
    attribute: str
    help: str


class LazyGroup(click.Group):
    """A group that finds its commands in a table: `@click.group(cls=LazyGroup, table=COMMANDS)`."""

    def __init__(self, *args: Any, table: Mapping[str, Lazy], **kwargs: Any) -> None:  # noqa: ANN401  # click's own
        super().__init__(*args, **kwargs)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """Return the names in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click's signature
        """Import the command."""
        lazy = self.table.get(cmd_name)
        if lazy is None:
            return None
        return cast("click.Command", getattr(importlib.import_module(lazy.module), lazy.attribute))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # click's
        """Write the help of all commands from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.help) for name, lazy in self.table.items()])
