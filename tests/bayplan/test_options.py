"""Process settings: flag before variable before default."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from bayplan.options import common_options, kubeconfig_option, port_option
from bayplan.settings import LogFormat, LogLevel, ProcessSettings

SEEN: list[tuple[ProcessSettings, int]] = []


@click.command()
@port_option("--probe-port", default=8081, meaning="Where probes are answered.")
@common_options
def command(*, process: ProcessSettings, probe_port: int) -> None:
    SEEN.append((process, probe_port))


def run(*arguments: str, **variables: str) -> Result:
    """Run the command with these flags and variables and none of the machine's own."""
    SEEN.clear()
    silent = dict.fromkeys(("KUBECONFIG", "POD_NAME", "NODE_NAME"), None)
    return CliRunner(env=silent | variables).invoke(command, arguments)


def test_defaults_need_nothing() -> None:
    assert run().exit_code == 0
    assert [
        (
            ProcessSettings(
                kubeconfig=None,
                policy=Path("/etc/bayplan/policy.yaml"),
                log_level=LogLevel.INFO,
                log_format=LogFormat.TEXT,
                namespace="bayplan-system",
                pod_name=None,
                node_name=None,
            ),
            8081,
        )
    ] == SEEN


def test_variables_come_before_defaults() -> None:
    run(
        BAYPLAN_POLICY="/p.yaml",
        BAYPLAN_LOG_LEVEL="debug",
        BAYPLAN_LOG_FORMAT="json",
        BAYPLAN_NAMESPACE="ours",
        BAYPLAN_PROBE_PORT="9000",
        POD_NAME="pod-1",
        BAYPLAN_NODE_NAME="n1",
    )

    assert [
        (
            ProcessSettings(
                policy=Path("/p.yaml"),
                log_level=LogLevel.DEBUG,
                log_format=LogFormat.JSON,
                namespace="ours",
                pod_name="pod-1",
                node_name="n1",
            ),
            9000,
        )
    ] == SEEN


def test_flags_come_before_variables() -> None:
    run("--log-level", "error", "--probe-port", "1", BAYPLAN_LOG_LEVEL="debug", BAYPLAN_PROBE_PORT="2")

    assert (SEEN[0][0].log_level, SEEN[0][1]) == (LogLevel.ERROR, 1)


def test_kubeconfig_is_ours_before_everybodys(tmp_path: Path) -> None:
    ours, everybodys = tmp_path / "ours", tmp_path / "everybodys"
    ours.touch()
    everybodys.touch()

    run(BAYPLAN_KUBECONFIG=str(ours), KUBECONFIG=str(everybodys))
    first = SEEN[0][0].kubeconfig
    run(KUBECONFIG=str(everybodys))

    assert (first, SEEN[0][0].kubeconfig) == (ours, everybodys)


@click.command()
@kubeconfig_option
def asked_by_a_person(*, kubeconfig: Path | None) -> None:
    click.echo(kubeconfig)


@pytest.mark.parametrize(
    ("pod", "file", "found"),
    [("", True, True), ("", False, False), ("10.0.0.1", True, False)],
    ids=["at a desk", "at a desk without the file", "in a pod"],
)
def test_a_person_is_spared_the_flag_where_kubectl_needs_none(
    tmp_path: Path, *, pod: str, file: bool, found: bool
) -> None:
    usual = tmp_path / ".kube" / "config"
    usual.parent.mkdir()
    if file:
        usual.touch()
    silent = dict.fromkeys(("BAYPLAN_KUBECONFIG", "KUBECONFIG"), None)

    result = CliRunner(env=silent | {"HOME": str(tmp_path), "KUBERNETES_SERVICE_HOST": pod}).invoke(asked_by_a_person)

    assert result.stdout.strip() == (str(usual) if found else "")


def test_a_service_never_takes_up_a_persons_rights_unasked(tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").touch()

    run(HOME=str(tmp_path), KUBERNETES_SERVICE_HOST="")

    assert SEEN[0][0].kubeconfig is None


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--log-level", "loud"], "'loud' is not one of 'debug', 'info', 'warning', 'error'"),
        (["--probe-port", "70000"], "70000 is not in the range 0<=x<=65535"),
        (["--kubeconfig", "/nowhere"], "File '/nowhere' does not exist"),
    ],
)
def test_unusable_settings_are_usage_errors(arguments: list[str], text: str) -> None:
    result = run(*arguments)

    assert result.exit_code == 2
    assert text in result.stderr


def test_help_shows_the_variables() -> None:
    text = run("--help").output

    assert all(f"BAYPLAN_{name}" in text for name in ("POLICY", "LOG_LEVEL", "LOG_FORMAT", "NAMESPACE", "PROBE_PORT"))


@pytest.mark.parametrize("flag", ["--namespace", "--pod-name"])
@pytest.mark.parametrize("text", ["", "Bayplan", "a/b", "-a", "../kube-system", "a b", "x" * 254])
def test_what_no_object_can_be_called_is_refused(flag: str, text: str) -> None:
    result = run(flag, text)

    assert result.exit_code == 2
    assert f"{text!r} is no name of an object; allowed are small letters, digits, - and ." in " ".join(
        result.output.split()
    )
