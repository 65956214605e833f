"""`bayplan extender run`: what it refuses before it serves anybody."""

import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bayplan.exits import Exit
from bayplan.extender import AdminAddress, _service, extender
from bayplan.settings import ProcessSettings
from extender.serving import Listening
from sources.policy_file import PolicyFile

KUBECONFIG = """
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
"""
POLICY = "apiVersion: bayplan.dev/v1alpha1\nkind: Policy\n"


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY)
    return path


def run(policy: Path, *arguments: str) -> Result:
    clean = {"KUBECONFIG": "", "BAYPLAN_KUBECONFIG": "", "KUBERNETES_SERVICE_HOST": ""}
    return CliRunner().invoke(extender, ["run", "--policy", str(policy), *arguments], env=clean)


def test_an_invalid_policy_is_refused_with_every_error(policy: Path) -> None:
    policy.write_text(POLICY + "buoyancy: {filterBelow: high}\nmode: observe\n")

    result = run(policy)

    assert result.exit_code == Exit.BAD_POLICY
    assert f"{policy}:3: buoyancy.filterBelow" in result.output
    assert f"{policy}:4: mode" in result.output


def test_an_address_that_others_can_reach_needs_a_certificate(policy: Path) -> None:
    result = run(policy, "--host", "10.0.0.7")

    assert result.exit_code == Exit.USAGE
    assert "listening on 10.0.0.7 without a certificate; allowed is a loopback address" in result.output


def test_one_port_cannot_serve_both_listeners(policy: Path) -> None:
    result = run(policy, "--port", "8889")

    assert result.exit_code == Exit.USAGE
    assert "--port and --admin-port are both 8889; allowed are two ports" in result.output


def test_without_a_cluster_it_ends_with_its_own_code(policy: Path) -> None:
    result = run(policy)

    assert result.exit_code == Exit.UNREACHABLE


def test_a_worker_that_takes_the_place_of_one_that_died_begins_with_the_policy_of_now(
    policy: Path, tmp_path: Path
) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(KUBECONFIG)
    read_before_the_fork = PolicyFile(policy)
    policy.write_text(POLICY + "buoyancy: {filterBelow: 0.2}\n")

    service = _service(
        ProcessSettings(kubeconfig=kubeconfig),
        read_before_the_fork,
        Listening(),
        AdminAddress(host="127.0.0.1", port=0),
    )

    assert service.memory.rulings.current.policy.buoyancy.filter_below == 0.2
    ended = threading.Event()
    ended.set()
    service.admin.run(ended)
