"""`bayplan policy`: what people read, what programs read, and the exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from bayplan import presets
from bayplan.cli import main
from policies.model.schema import json_schema

KEYS = "apiVersion, kind, scope, signals, slos, buoyancy, eviction, steering, plan"
HEAD = "apiVersion: bayplan.dev/v1alpha1\nkind: Policy\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "policy.yaml"
    path.write_text(HEAD + "slos: [{name: web, selector: {}, indicator: q, age: a, atMost: 1}]\n")
    return path


def run(*arguments: str) -> Result:
    """Run `bayplan policy` on a terminal of 200 columns."""
    return CliRunner(env={"COLUMNS": "200"}).invoke(main, ["policy", *arguments])


def as_json(result: Result) -> dict[str, Any]:
    """Return what a program reads."""
    answer = json.loads(result.stdout)
    assert isinstance(answer, dict)
    return answer


def test_valid_policy_is_summed_up_with_its_warnings(file: Path) -> None:
    result = run("check", str(file))

    assert result.exit_code == 0
    assert f"{file} is valid, hash " in result.output
    assert all(text in result.output for text in ("observe", "prometheus, every 15s", "web", "10 in all in 10m"))
    assert "eviction.onlyIfNodeBelow" in result.output
    assert "so that no SLO ever evicts" in result.output


def test_policy_without_warnings_shows_none() -> None:
    assert "Warnings" not in run("check", "--preset", "kubelet-psi").output


def test_paused_and_unlimited_show(file: Path) -> None:
    file.write_text(HEAD + "eviction: {paused: true, limits: []}\n")

    output = run("check", str(file)).output

    assert "observe, paused" in output
    assert "none" in output


def test_invalid_policy_prints_every_error_and_ends_with_3(file: Path) -> None:
    file.write_text(HEAD + "buoyancy: {maxHold: 5}\nzzz: 1\n")

    result = run("check", str(file))

    assert (result.exit_code, result.stdout) == (3, "")
    first, second = result.stderr.splitlines()
    assert first.startswith(f"{file}:3: buoyancy.maxHold: 5 is not a duration; allowed is")
    assert second == f"{file}:4: zzz: unknown key; allowed here: {KEYS}"


def test_programs_read_the_effective_policy(file: Path) -> None:
    answer = as_json(run("check", str(file), "--output", "json"))

    assert (answer["valid"], answer["errors"]) == (True, [])
    assert answer["policy"]["buoyancy"]["clearAbove"] == 0.05
    assert len(answer["hash"]) == 12
    assert [(warning["line"], warning["path"]) for warning in answer["warnings"]] == [
        (1, "eviction.onlyIfNodeBelow"),
        (1, "signals.resources"),
    ]


def test_programs_read_errors_and_the_same_exit_code(file: Path) -> None:
    file.write_text(HEAD + "zzz: 1\n")

    result = run("check", str(file), "--output", "json")

    assert result.exit_code == 3
    assert as_json(result)["errors"] == [
        {
            "file": str(file),
            "line": 3,
            "path": "zzz",
            "message": f"unknown key; allowed here: {KEYS}",
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["check"], "give either a FILE or --preset NAME"),
        (["check", "--preset", "psi"], "there is no preset 'psi'; allowed is cadvisor-resctrl-perf, cautious,"),
        (["preset", "psi"], "there is no preset 'psi'; allowed is"),
        (["check", "/nowhere.yaml"], "File '/nowhere.yaml' does not exist"),
    ],
)
def test_usage_errors_end_with_2(arguments: list[str], text: str) -> None:
    result = run(*arguments)

    assert result.exit_code == 2
    assert text in result.stderr


def test_file_and_preset_together_are_a_usage_error(file: Path) -> None:
    assert run("check", str(file), "--preset", "paper").exit_code == 2


def test_schema_is_printed_as_json() -> None:
    assert as_json(run("schema")) == json_schema()


def test_presets_are_listed_and_printed_as_written() -> None:
    assert run("preset").output.split() == list(presets.names())
    assert run("preset", "paper").output == presets.text("paper")


def test_printed_preset_is_a_policy_file(file: Path) -> None:
    file.write_text(run("preset", "cautious").output)

    answer = as_json(run("check", str(file), "--output", "json"))

    assert answer["valid"]
    assert answer["hash"] == presets.preset("cautious").hash
    assert yaml.safe_load(file.read_text())["kind"] == "Policy"


def test_an_address_in_brackets_is_no_markup(file: Path) -> None:
    file.write_text(HEAD + 'signals: {prometheus: {url: "http://[fe80::1]:9090", caFile: /ca.pem}}\n')

    assert "without effect: http://[fe80::1]:9090 is plain http" in run("check", str(file)).stdout
