"""Command lines, policy files and ports of services to be started."""

from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from bayplan.cli import main
from controlplane.runs import Run
from launching.launches import BAYPLAN, Launch
from tests.launching.conftest import MakeLaunch


def parsed(arguments: list[str]) -> dict[str, Any]:
    """Return the options as the real command reads them; it refuses what it does not know."""
    kind, verb, *options = arguments
    group = main.get_command(click.Context(main), kind)
    assert isinstance(group, click.Group)
    command = group.get_command(click.Context(group), verb)
    assert command is not None
    return command.make_parser(click.Context(command)).parse_args(options)[0]


def test_extender_has_two_ports_of_its_own(launch: MakeLaunch, run: Run) -> None:
    made = launch(kind="extender")

    arguments = made.program().command.arguments

    assert f"--port={run.port('ours')}" in arguments
    assert f"--admin-port={run.port('ours-admin')}" in arguments
    assert made.url == f"http://127.0.0.1:{run.port('ours')}/v1"
    assert made.admin == f"http://127.0.0.1:{run.port('ours-admin')}"


def test_descheduler_listens_where_its_pages_are(launch: MakeLaunch, run: Run) -> None:
    arguments = launch(kind="descheduler").program().command.arguments

    assert f"--port={run.port('ours-admin')}" in arguments
    assert not [one for one in arguments if one.startswith("--admin-port")]


@pytest.mark.parametrize("kind", ["extender", "descheduler"])
def test_the_real_command_takes_the_command_line(launch: MakeLaunch, kind: str) -> None:
    made = launch(kind=kind, options=("--log-level=debug",), launcher=(BAYPLAN,))

    program, *arguments = made.program().command.arguments

    assert Path(program).exists()
    read = parsed(arguments)
    assert (read["kubeconfig"], read["pod_name"], read["log_level"]) == ("/etc/rights", "ours", "debug")
    assert Path(read["policy"]).read_text() == "{}\n"


def test_the_real_command_takes_the_command_line_of_a_single_cycle(launch: MakeLaunch, tmp_path: Path) -> None:
    made = launch(kind="descheduler", launcher=(BAYPLAN,))

    read = parsed([*made.once(tmp_path / "printed").command.arguments[1:]])

    assert (read["once"], read["output"]) == (True, "json")
    assert "port" not in read


def test_pod_may_have_another_name_than_the_log(launch: MakeLaunch) -> None:
    made = launch(pod_name="ours-0")

    program = made.program()

    assert "--pod-name=ours-0" in program.command.arguments
    assert program.log.name == "ours.log"


def test_another_launcher_comes_before_the_subcommand(launch: MakeLaunch) -> None:
    arguments = launch(kind="descheduler", launcher=("python", "-m", "shifted", "5")).arguments()

    assert arguments[:6] == ["python", "-m", "shifted", "5", "descheduler", "run"]


@pytest.mark.parametrize("policy", [{"kind": "Policy"}, "kind: Policy\n"], ids=["structure", "text"])
def test_policy_is_written_for_this_user_alone(launch: MakeLaunch, policy: object) -> None:
    file = launch(policy=policy).write({"kind": "Policy"})

    assert yaml.safe_load(file.read_text()) == {"kind": "Policy"}
    assert file.stat().st_mode & 0o777 == 0o600


def test_changed_policy_takes_the_place_of_the_old_one_at_once(launch: MakeLaunch) -> None:
    made = launch()
    old = made.write("old")

    with old.open() as reading:
        new = made.write("new")

        assert reading.read() == "old"  # whoever reads meanwhile sees one or the other, never a part
    assert (new, new.read_text()) == (old, "new")


def test_services_of_one_run_share_neither_ports_nor_policies(launch: MakeLaunch) -> None:
    first, second = launch(name="first", policy="1"), launch(name="second", policy="2")

    assert len({first.url, second.url, first.admin, second.admin}) == 4
    assert first.write("1") != second.write("2")


def environment(made: Launch) -> dict[str, str]:
    return dict(made.program().command.environment)


def test_no_proxy_stands_before_loopback_and_more_can_be_added(launch: MakeLaunch) -> None:
    assert environment(launch()) == dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
    assert environment(launch(environment={"EXTRA": "1"}))["EXTRA"] == "1"
