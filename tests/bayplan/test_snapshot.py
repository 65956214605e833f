"""`bayplan snapshot save` and `plan solve --live`: a cluster read over the wire, and how that fails."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bayplan.cli import main
from bayplan.exits import Exit
from sources.kube.kinds import EVERYTHING
from sources.kube.records import records_path
from sources.snapshots.reading import read_snapshot
from tests.descheduler.site import Site
from tests.raw import raw_workload
from tests.sources.http_fake import HttpFake, Reply, serve

POLICY = """
apiVersion: bayplan.dev/v1alpha1
kind: Policy
plan: {solver: repaired, timeLimit: 2s}
"""


@pytest.fixture
def kubeconfig(tmp_path: Path) -> Iterator[str]:
    """Serve the lists of a cluster of three nodes; `web-1` waits for a place."""
    site, fake = Site(place=lambda _pod: None), HttpFake()
    site.server.put(*raw_workload("web", nodes=("n1", None)))
    for path in (*(kind.path for kind in EVERYTHING), records_path("bayplan-system")):
        fake.script(path, Reply(body=site.server.request("GET", path).body))
    with serve(fake):
        yield str(_kubeconfig(tmp_path, fake.url))


@pytest.fixture
def forbidden(tmp_path: Path) -> Iterator[str]:
    """Serve a cluster that lets nobody list its pods."""
    site, fake = Site(place=lambda _pod: None), HttpFake()
    for path in (*(kind.path for kind in EVERYTHING), records_path("bayplan-system")):
        fake.script(path, Reply(body=site.server.request("GET", path).body))
    fake.script("/api/v1/pods", Reply(status=403, body=b'{"kind": "Status", "message": "pods is forbidden"}'))
    with serve(fake):
        yield str(_kubeconfig(tmp_path, fake.url))


def _kubeconfig(folder: Path, url: str) -> Path:
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": url}}],
        "users": [{"name": "u", "user": {}}],
    }
    file = folder / "kubeconfig"
    file.write_text(json.dumps(content))
    return file


def run(*arguments: str) -> Result:
    return CliRunner(env={"KUBECONFIG": None, "BAYPLAN_POLICY": None}).invoke(main, arguments)


def test_a_cluster_is_saved_with_its_names(kubeconfig: str, tmp_path: Path) -> None:
    file = tmp_path / "cluster.json"

    result = run("snapshot", "save", str(file), "--kubeconfig", kubeconfig)

    assert (result.exit_code, result.stdout) == (Exit.OK, f"4 nodes and 2 pods saved to {file}\n")
    assert {pod.name for pod in read_snapshot(file).cluster.pods.values()} == {"web-0", "web-1"}


def test_masked_it_has_none_of_them(kubeconfig: str, tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"

    for file in (first, second):
        assert run("snapshot", "save", str(file), "--kubeconfig", kubeconfig, "--mask").exit_code == Exit.OK

    assert '"web' not in first.read_text()
    assert len(read_snapshot(first).cluster.pods) == 2
    assert first.read_text() != second.read_text()


def test_a_live_cluster_is_solved_and_only_read(kubeconfig: str, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY)

    result = run("plan", "solve", "--live", "--kubeconfig", kubeconfig, "--policy", str(policy), "--output", "json")

    assert result.exit_code == Exit.OK, result.output
    assert [step["pod"] for step in json.loads(result.stdout)["plan"]] == ["default/web-1"]


def test_a_file_that_cannot_be_written_is_named(kubeconfig: str, tmp_path: Path) -> None:
    file = tmp_path / "nowhere" / "cluster.json"

    result = run("snapshot", "save", str(file), "--kubeconfig", kubeconfig)

    assert result.exit_code == Exit.USAGE
    assert f"{file} cannot be written: there is no folder {file.parent}" in result.stderr


def test_a_folder_that_is_not_there_is_said_before_the_cluster_is_read(tmp_path: Path) -> None:
    nobody = tmp_path / "kubeconfig"
    nobody.write_text("apiVersion: v1\nkind: Config\n")

    result = run("snapshot", "save", str(tmp_path / "nowhere" / "cluster.json"), "--kubeconfig", str(nobody))

    assert result.exit_code == Exit.USAGE


def test_what_is_no_ordinary_file_is_not_written_to(kubeconfig: str, tmp_path: Path) -> None:
    pipe = tmp_path / "cluster.json"
    os.mkfifo(pipe)

    result = run("snapshot", "save", str(pipe), "--kubeconfig", kubeconfig)

    assert result.exit_code == Exit.USAGE
    assert f"{pipe} cannot be written: seen no ordinary file" in result.stderr


def test_a_cluster_that_cannot_be_reached_leaves_no_file(tmp_path: Path) -> None:
    file, nowhere = tmp_path / "cluster.json", _kubeconfig(tmp_path, "http://127.0.0.1:9")

    result = run("snapshot", "save", str(file), "--kubeconfig", str(nowhere))

    assert result.exit_code == Exit.UNREACHABLE
    assert not file.exists()


@pytest.mark.parametrize("command", [("snapshot", "save", "FILE"), ("plan", "solve", "--live")])
def test_without_the_right_to_list_pods_there_is_no_snapshot(
    forbidden: str, tmp_path: Path, command: tuple[str, ...]
) -> None:
    file = tmp_path / "cluster.json"

    result = run(*(str(file) if word == "FILE" else word for word in command), "--kubeconfig", forbidden)

    assert result.exit_code == Exit.UNREACHABLE
    assert result.stderr == "Error: the pods cannot be listed: 403: pods is forbidden\n"
    assert not file.exists()
