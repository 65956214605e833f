"""`bayplan snapshot save`: how it fails; what it takes of a cluster is tested with `descheduler.taking`."""

from pathlib import Path

from click.testing import CliRunner

from bayplan.cli import main
from bayplan.exits import Exit


def test_a_cluster_that_cannot_be_reached_leaves_no_file(tmp_path: Path) -> None:
    nowhere, file = tmp_path / "kubeconfig", tmp_path / "cluster.json"
    nowhere.write_text("apiVersion: v1\nkind: Config\n")

    result = CliRunner().invoke(main, ["snapshot", "save", str(file), "--kubeconfig", str(nowhere), "--mask"])

    assert result.exit_code == Exit.UNREACHABLE
    assert not file.exists()
