"""`bayplan descheduler run`: its exit codes, its settings, and a whole single run on the in-memory API."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bayplan import descheduler
from bayplan.cli import main
from bayplan.exits import Exit, NoLease, Unreachable
from bayplan.settings import ProcessSettings
from descheduler.process import Process
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.failures import Failure
from simulator.faults import Fail
from sources.policy_file import PolicyFile
from tests.raw import raw_lease, raw_node, raw_workload

POLICY = """
apiVersion: bayplan.dev/v1alpha1
kind: Policy
signals:
  prometheus: {url: http://127.0.0.1:9, timeout: 1s}
  resources:
    cpu: {node: node_cpu, age: node_age, pod: pod_cpu, podAge: pod_age, podPer: allocatable, additive: true}
eviction: {mode: MODE}
"""


@pytest.fixture
def policy(tmp_path: Path) -> Callable[[str], Path]:
    """Write a policy with this mode."""

    def write(mode: str) -> Path:
        path = tmp_path / "policy.yaml"
        path.write_text(POLICY.replace("MODE", mode))
        return path

    return write


def run(*arguments: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(main, ["descheduler", "run", "--once", *arguments])


def process(api: ApiServer, policy: Path) -> Process:
    """Return the process that the command would make."""
    settings = ProcessSettings(policy=policy, pod_name="descheduler-0")
    stop = threading.Event()
    return Process(descheduler._setting(settings, api, PolicyFile(policy), stop=stop, interval=None))


def cluster() -> ApiServer:
    """Return a small cluster."""
    server = ApiServer(ManualClock())
    server.put(raw_node("n1"), raw_node("n2"), *raw_workload("web", nodes=("n1", "n2")))
    return server


def test_an_invalid_policy_ends_with_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("apiVersion: bayplan.dev/v1alpha1\nkind: Policy\neviction: {mode: maybe}\n")

    result = run("--policy", str(path))

    assert result.exit_code == Exit.BAD_POLICY
    assert f"{path}:3: eviction.mode: " in result.stderr


@pytest.mark.parametrize("interval", ["15", "0s", "soon"])
def test_an_interval_without_a_unit_or_a_pause_is_refused(policy: Callable[[str], Path], interval: str) -> None:
    result = run("--policy", str(policy("observe")), "--interval", interval)

    assert result.exit_code == Exit.USAGE
    assert repr(interval) in result.stderr


def test_no_way_to_the_api_ends_with_its_own_code(
    policy: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.delenv("KUBECONFIG", raising=False)
    nowhere = tmp_path / "kubeconfig"
    nowhere.write_text("apiVersion: v1\nkind: Config\n")

    result = run("--policy", str(policy("observe")), "--kubeconfig", str(nowhere))

    assert result.exit_code == Exit.UNREACHABLE


def test_a_single_run_without_signals_evicts_nobody_and_says_why(
    policy: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    server = cluster()

    result = descheduler._once(process(server, policy("enforce")))
    descheduler._print(result, None, "table")
    descheduler._print(result, None, "json")

    printed = capsys.readouterr().out
    assert "no eviction (signal/cpu.node): " in printed
    assert '"mode": "enforce"' in printed
    assert server.calls.of("create", "pods/eviction") == []


def test_every_process_has_a_name_of_its_own(policy: Callable[[str], Path]) -> None:
    path = policy("observe")

    first, second = (process(cluster(), path).setting.holder for _ in range(2))

    assert first.startswith("descheduler-0_")
    assert first != second


def test_an_api_that_is_gone_ends_a_single_run_with_its_code(policy: Callable[[str], Path]) -> None:
    server = cluster()
    made = process(server, policy("observe"))
    server.close()
    made.setting.stop.set()

    with pytest.raises(Unreachable):
        descheduler._once(made)


@pytest.mark.parametrize("kind", ["nodes", "pods"])
def test_a_single_run_that_may_not_list_nodes_or_pods_ends_with_its_code(
    policy: Callable[[str], Path], kind: str
) -> None:
    server = cluster()
    server.faults.add(Fail(Failure(403, "Forbidden", "no right")), method="GET", path=f"/api/v1/{kind}")

    result = descheduler._once(process(server, policy("enforce")))

    with pytest.raises(Unreachable, match=f"the {kind} cannot be listed: 403 Forbidden: no right"):
        descheduler._must_have_seen(result)


def test_a_single_run_without_another_right_does_what_it_can(policy: Callable[[str], Path]) -> None:
    server = cluster()
    server.faults.add(Fail(Failure(403, "Forbidden", "no right")), method="GET", path="/apis/apps/v1/replicasets")

    result = descheduler._once(process(server, policy("enforce")))

    assert "list/replicasets" in result.troubles
    descheduler._must_have_seen(result)


def test_a_held_lease_ends_a_single_enforcing_run_with_its_code(policy: Callable[[str], Path]) -> None:
    server = cluster()
    server.put(raw_lease("bayplan-descheduler", holder="another"))
    made = process(server, policy("enforce"))
    made.setting.stop.set()

    with pytest.raises(NoLease, match="the lease bayplan-descheduler is held by another"):
        descheduler._once(made)

    assert server.calls.of("create", "pods/eviction") == []
