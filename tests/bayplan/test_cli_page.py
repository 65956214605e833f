"""docs/reference/cli.md: knows every command, exit code and variable."""

import importlib.util
from collections.abc import Iterable
from pathlib import Path

import click
import pytest

from bayplan.cli import COMMANDS, main
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


def undocumented(options: Iterable[click.Parameter], page: str) -> list[str]:
    """Return the options that have no row of their own with all their variables and their default."""
    rows = page.splitlines()
    missing = []
    for option in options:
        if not isinstance(option, click.Option) or option.name == "help":
            continue
        variables = [option.envvar] if isinstance(option.envvar, str) else list(option.envvar or ())
        default = str(option.default) if isinstance(option.default, str | int | Path) and option.default else ""
        begin = (f"| `{option.opts[0]} ", f"| `{option.opts[0]}` ")
        if not any(
            row.startswith(begin) and default in row and all(f"`{variable}`" in row for variable in variables)
            for row in rows
        ):
            missing.append(option.opts[0])
    return missing


def test_every_shared_option_stands_on_the_page_with_variables_and_default() -> None:
    assert undocumented(bare.params, PAGE) == []


@pytest.mark.parametrize("name", ["extender", "descheduler"])
def test_every_option_of_a_service_stands_in_its_own_table_or_the_shared_one(name: str) -> None:
    if importlib.util.find_spec(COMMANDS[name].module) is None:
        pytest.skip(f"{COMMANDS[name].module} is not written yet")
    service = main.get_command(click.Context(main), name)
    shared = PAGE.partition("### ")[0]
    own = PAGE.partition(f"### `bayplan {name} run`")[2].partition("\n##")[0]

    assert isinstance(service, click.Group)
    assert undocumented(service.commands["run"].params, shared + own) == []


@pytest.mark.parametrize("name", ["plan solve", "snapshot save"])
def test_every_option_of_a_command_stands_in_its_own_table(name: str) -> None:
    group, _, command = name.partition(" ")
    found = main.get_command(click.Context(main), group)
    own = PAGE.partition(f"### `bayplan {name}`")[2].partition("\n##")[0]

    assert isinstance(found, click.Group)
    chosen = found.get_command(click.Context(found), command)
    assert chosen is not None
    assert undocumented(chosen.params, own) == []


def test_an_option_without_a_row_is_found() -> None:
    assert undocumented(bare.params, PAGE.replace("BAYPLAN_LOG_LEVEL", "")) == ["--log-level"]
