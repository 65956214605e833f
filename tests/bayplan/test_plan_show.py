"""`bayplan plan show` and `bayplan plan abort` on the in-memory API."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from bayplan.cli import main
from bayplan.exits import Exit
from bayplan.plan_abort import asked
from bayplan.plan_show import found, print_found
from descheduler.planning.slot import SlotKeeper
from descheduler.planning.store import PlanStore, closed
from policies.values.plans import Plan, PlanAction, PlanCondition, PlanEntry, PlanPhase
from simulator.api_server import ApiServer
from simulator.clock import ManualClock

OWN = "bayplan-system"
MOVE = PlanEntry(
    action=PlanAction.MOVE, namespace="shop", pod="web-0", uid="u1", source="n2", target="n1", reason="makes room"
)
PLACE = PlanEntry(action=PlanAction.PLACE, namespace="shop", pod="api-0", uid="u2", target="n2")


@pytest.fixture
def server() -> ApiServer:
    """Return a cluster with a finished plan and one in force."""
    clock = ManualClock()
    server = ApiServer(clock)
    store = PlanStore(server, namespace=OWN, clock=clock)
    old = store.create(Plan(name="plan-1", trigger="periodic"))
    store.write(closed(old, PlanPhase.ABORTED, "the node shrank", at=clock.now()))
    clock.advance(5)
    marks = (PlanCondition(kind="Installed", met=True, reason="Acknowledged", at=clock.now()),)
    plan = store.create(Plan(name="plan-2", phase=PlanPhase.EVICTING, entries=(MOVE, PLACE), conditions=marks))
    SlotKeeper(server, namespace=OWN, holder="a", clock=clock).take(plan)
    return server


def test_all_plans_are_listed_newest_first(server: ApiServer, capsys: pytest.CaptureFixture[str]) -> None:
    print_found(found(server, OWN, None), single=False, output="table")

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("plan-")] == ["plan-2", "plan-1"]
    assert "the node shrank" in lines[-1]


def test_one_plan_is_shown_with_its_steps(server: ApiServer, capsys: pytest.CaptureFixture[str]) -> None:
    print_found(found(server, OWN, "plan-2"), single=True, output="table")

    out = capsys.readouterr().out
    assert "Evicting" in out
    assert "shop/web-0" in out
    assert "makes room" in out
    assert "Installed: yes (Acknowledged)" in out


def test_programs_get_json(server: ApiServer, capsys: pytest.CaptureFixture[str]) -> None:
    print_found(found(server, OWN, None), single=False, output="json")

    plans = json.loads(capsys.readouterr().out)
    assert [(plan["name"], plan["phase"], plan["moved"]) for plan in plans] == [
        ("plan-2", "Evicting", "0/1"),
        ("plan-1", "Aborted", "0/0"),
    ]
    assert plans[0]["entries"][0]["to"] == "n1"


def test_cluster_without_plans_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    print_found(found(ApiServer(ManualClock()), OWN, None), single=False, output="table")

    assert capsys.readouterr().out == "no plan\n"


def test_plan_in_force_is_aborted_without_its_name(server: ApiServer) -> None:
    plan = asked(server, OWN, name=None, reason="maintenance")

    assert (plan.name, plan.abort) == ("plan-2", "maintenance")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("plan-1", "the plan plan-1 is over: Aborted"),
        ("plan-9", "there is no plan 'plan-9' in bayplan-system"),
    ],
)
def test_plan_that_cannot_be_aborted_is_said(server: ApiServer, name: str, words: str) -> None:
    with pytest.raises(click.UsageError, match=words):
        asked(server, OWN, name=name, reason="maintenance")


def test_without_a_plan_in_force_there_is_nothing_to_abort() -> None:
    with pytest.raises(click.UsageError, match="no plan is in force in bayplan-system"):
        asked(ApiServer(ManualClock()), OWN, name=None, reason="")


def test_plan_that_does_not_exist_cannot_be_shown(server: ApiServer) -> None:
    with pytest.raises(click.UsageError, match="there is no plan 'plan-9'"):
        found(server, OWN, "plan-9")


@pytest.mark.parametrize("command", ["show", "abort"])
def test_no_way_to_the_api_ends_with_its_own_code(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    nowhere = tmp_path / "kubeconfig"
    nowhere.write_text("apiVersion: v1\nkind: Config\n")

    result = CliRunner().invoke(main, ["plan", command, "--kubeconfig", str(nowhere)])

    assert result.exit_code == Exit.UNREACHABLE
