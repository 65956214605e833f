"""`bayplan policy`: check a policy, print a preset or the schema; needs no cluster."""

import json
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.table import Table
from rich.text import Text

from bayplan import presets
from bayplan.consoles import console
from bayplan.exits import BadPolicy, Exit
from bayplan.options import output_option
from policies.model.dumping import plain
from policies.model.fields import duration_text
from policies.model.limits import Limit
from policies.model.loading import Loaded
from policies.model.policy import Policy
from policies.model.problems import PolicyErrors, Problem
from policies.model.schema import json_schema
from sources.policy_file import read_policy


@click.group()
def policy() -> None:
    """Check policies, show presets and the schema."""


@policy.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@click.option("--preset", "preset_name", help="Check a shipped preset instead of a file.")
@output_option
def check(file: Path | None, preset_name: str | None, output: str) -> None:
    """Check a policy and show what it does.

    Every error and warning is printed with its line and path. It ends with 0 when the policy is valid (warnings are
    not errors), with 3 when it is not.
    """
    if (file is None) == (preset_name is None):
        raise click.UsageError("give either a FILE or --preset NAME")
    try:
        loaded = read_policy(file) if file is not None else _preset(str(preset_name))
    except PolicyErrors as errors:
        _refuse(errors, output)
    if output == "json":
        _print_json({"valid": True, "errors": []} | _as_json(loaded))
    else:
        _print_tables(loaded, str(file or preset_name))


@policy.command()
def schema() -> None:
    """Print the JSON schema of the policy."""
    _print_json(json_schema())


@policy.command()
@click.argument("name", required=False)
def preset(name: str | None) -> None:
    """Print a preset, or the names of all.

    It is printed with its comments, to begin a policy with.
    """
    if name is None:
        click.echo("\n".join(presets.names()))
    else:
        _known(name)
        click.echo(presets.text(name), nl=False)


def _known(name: str) -> None:
    if name not in presets.names():
        raise click.UsageError(f"there is no preset {name!r}; allowed is {', '.join(presets.names())}")


def _preset(name: str) -> Loaded:
    _known(name)
    return presets.preset(name)


def _refuse(errors: PolicyErrors, output: str) -> NoReturn:
    if output == "json":
        _print_json({"valid": False, "errors": [_problem(problem) for problem in errors.problems], "warnings": []})
        raise click.exceptions.Exit(Exit.BAD_POLICY)
    raise BadPolicy(errors.problems)


def _problem(problem: Problem) -> dict[str, Any]:
    return {"file": problem.file, "line": problem.line, "path": problem.path, "message": problem.message}


def _as_json(loaded: Loaded) -> dict[str, Any]:
    warnings = [_problem(warning) for warning in loaded.warnings]
    return {"hash": loaded.hash, "warnings": warnings, "policy": plain(loaded.policy)}


def _print_json(value: dict[str, Any]) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def _print_tables(loaded: Loaded, name: str) -> None:
    wide = console()
    wide.print(f"{name} is valid, hash {loaded.hash}", markup=False)
    wide.print(_overview(loaded.policy))
    if loaded.warnings:
        wide.print(_warnings(loaded.warnings))


def _overview(policy_: Policy) -> Table:
    signals, eviction = policy_.signals, policy_.eviction
    table = Table("setting", "value", title="What it does")
    rows = {
        "mode": eviction.mode + (", paused" if eviction.paused else ""),
        "source": f"{signals.source}, every {duration_text(signals.step)}",
        "resources": ", ".join(signals.resources) or "none",
        "objectives": ", ".join(slo.name for slo in policy_.slos) or "none",
        "nodes refused": f"below {policy_.buoyancy.filter_below:g}, at most {policy_.buoyancy.max_refused_nodes:.0%}",
        "limits": "\n".join(_limit(limit) for limit in eviction.limits) or "none",
    }
    for setting, value in rows.items():
        table.add_row(setting, value)
    return table


def _limit(limit: Limit) -> str:
    whose = "in all" if limit.scope == "cluster" else f"a {limit.scope}"
    return f"{limit.max} {whose} in {duration_text(limit.window)}"


def _warnings(warnings: tuple[Problem, ...]) -> Table:
    table = Table("line", "path", "warning", title="Warnings")
    for warning in warnings:
        table.add_row(str(warning.line), Text(warning.path), Text(warning.message))  # no markup: `[fe80::1]` is a host
    return table
