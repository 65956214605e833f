"""Building once, whole or not at all."""

import threading
from pathlib import Path

import pytest

from controlplane import building, sources
from tests.controlplane.conftest import MakeGo


def test_cache_follows_the_xdg_variable_and_else_the_home_folder() -> None:
    assert building.cache_root({"XDG_CACHE_HOME": "/c", "HOME": "/h"}) == Path("/c/bayplan")
    assert building.cache_root({"HOME": "/h"}) == Path("/h/.cache/bayplan")


def test_programs_are_built_once_and_found_afterwards(make_go: MakeGo, tmp_path: Path) -> None:
    calls = make_go()
    said: list[str] = []

    first = building.ensure(said.append, cache=tmp_path)
    second = building.ensure(said.append, cache=tmp_path)

    assert first == second
    assert first.complete
    assert len(calls.read_text().splitlines()) == len(sources.PROGRAMS)
    assert "kube-apiserver (2 of 6; takes about 240 s the first time)" in "\n".join(said)


def test_a_program_that_does_not_compile_leaves_nothing_behind(make_go: MakeGo, tmp_path: Path) -> None:
    make_go(broken="kubectl")

    with pytest.raises(building.BuildError, match="kubectl: undefined symbol"):
        building.ensure(print, cache=tmp_path / "cache")

    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["build.lock"]


def test_an_incomplete_folder_is_built_anew(make_go: MakeGo, tmp_path: Path) -> None:
    make_go()
    wanted = building.current(tmp_path)
    wanted.folder.mkdir(parents=True)
    (wanted.folder / "etcd").write_text("of a build that was interrupted")

    assert building.ensure(print, cache=tmp_path).complete


def test_two_runs_side_by_side_build_once_and_the_second_says_that_it_waits(make_go: MakeGo, tmp_path: Path) -> None:
    calls = make_go(seconds=0.05)
    said: list[str] = []
    runs = [threading.Thread(target=building.ensure, args=[said.append], kwargs={"cache": tmp_path}) for _ in range(2)]

    for run in runs:
        run.start()
    for run in runs:
        run.join()

    assert len(calls.read_text().splitlines()) == len(sources.PROGRAMS)
    assert said.count("another run is building the control plane: waiting for it") == 1
