"""The command as a whole: what it lists, what it imports, how it fails."""

import importlib.metadata
import importlib.util
import json
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from bayplan.cli import COMMANDS, main
from bayplan.exits import BadPolicy, Exit, NoLease, Unreachable
from policies.model.problems import Problem

HEAVY = {
    "flask",
    "gunicorn",
    "kubernetes",
    "prometheus_api_client",
    "ortools",
    "requests",
    "extender",
    "descheduler",
    "simulator",
}


def imported_by(*arguments: str) -> set[str]:
    """Return the modules that a fresh process has imported after running the command."""
    code = (
        "import json, sys\n"
        "from bayplan.cli import main\n"
        f"main({list(arguments)!r}, standalone_mode=False)\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=True)
    return set(json.loads(done.stderr))


def test_help_imports_no_subcommand() -> None:
    modules = imported_by("--help")

    assert "bayplan.cli" in modules
    assert not modules & ({lazy.module for lazy in COMMANDS.values()} | HEAVY | {"pydantic", "numpy", "rich"})


def test_checking_a_policy_imports_neither_service() -> None:
    modules = imported_by("policy", "check", "--preset", "paper")

    assert "bayplan.policy" in modules
    assert not modules & HEAVY


def test_help_names_every_command() -> None:
    text = CliRunner().invoke(main, ["--help"]).output

    assert main.list_commands(click.Context(main)) == list(COMMANDS)
    assert all(f"  {name} " in text and lazy.help in text for name, lazy in COMMANDS.items())


def test_version_is_that_of_the_distribution() -> None:
    result = CliRunner().invoke(main, ["--version"])

    assert result.output == f"bayplan, version {importlib.metadata.version('bayplan')}\n"


def test_unknown_command_is_a_usage_error() -> None:
    result = CliRunner().invoke(main, ["sail"])

    assert result.exit_code == Exit.USAGE
    assert "No such command 'sail'" in result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_command_is_where_the_table_says(name: str) -> None:
    if importlib.util.find_spec(COMMANDS[name].module) is None:
        pytest.skip(f"{COMMANDS[name].module} is not written yet")

    command = main.get_command(click.Context(main), name)

    assert isinstance(command, click.Group)
    assert command.name == name


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (BadPolicy([Problem(file="p.yaml", line=3, path="a.b", message="wrong")]), 3, "p.yaml:3: a.b: wrong\n"),
        (NoLease("held by bayplan-1"), 4, "Error: held by bayplan-1\n"),
        (Unreachable("connection refused"), 5, "Error: connection refused\n"),
    ],
    ids=["bad policy", "no lease", "unreachable"],
)
def test_failures_on_purpose_have_their_exit_codes(error: click.ClickException, code: int, text: str) -> None:
    @click.command()
    def failing() -> None:
        raise error

    result = CliRunner().invoke(failing)

    assert (result.exit_code, result.stderr) == (code, text)
