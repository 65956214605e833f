"""docs/reference/cli.md: knows every command, exit code and variable."""

from pathlib import Path

import click
import pytest

from bayplan.cli import COMMANDS
from bayplan.exits import Exit
from bayplan.options import common_options
from bayplan.policy import policy

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "cli.md").read_text()


@click.command()
@common_options
def bare() -> None:
    """Carry the shared options."""


@pytest.mark.parametrize("name", [*COMMANDS, *(f"policy {name}" for name in policy.commands)])
def test_every_command_stands_on_the_page(name: str) -> None:
    assert f"`bayplan {name} " in PAGE or f"`bayplan {name}`" in PAGE


@pytest.mark.parametrize("code", Exit)
def test_every_exit_code_stands_on_the_page(code: Exit) -> None:
    assert f"\n| {code.value} | " in PAGE


@pytest.mark.parametrize("option", bare.params, ids=lambda option: option.name)
def test_every_shared_option_stands_on_the_page_with_its_variables(option: click.Option) -> None:
    variables = [option.envvar] if isinstance(option.envvar, str) else list(option.envvar or ())
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{option.opts[0]} "))

    assert variables
    assert all(f"`{variable}`" in row for variable in variables)
