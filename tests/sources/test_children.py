"""Child processes of ours: they find our packages from anywhere, answer on their line, and end."""

import time
from pathlib import Path

import pytest

from sources import children

ECHO = "tests.sources.echo_child"


def test_child_gets_its_words_and_answers_on_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # our packages are found all the same
    line, child = children.on_pipe(ECHO, "one", "two")

    line.send({"three": 3})

    assert line.recv() == (["one", "two"], {"three": 3})
    line.close()
    children.end(child)
    assert child.returncode == 0


def test_child_on_standard_streams_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    child = children.on_standard_streams(ECHO)

    answer, _ = child.communicate(b"words\n", timeout=20)

    assert answer == b"WORDS\n"


def test_child_that_goes_on_after_its_line_has_ended_is_killed() -> None:
    line, child = children.on_pipe(ECHO, "stubborn")
    line.send("are you there?")
    line.recv()
    line.close()
    began = time.monotonic()

    children.end(child)

    assert child.returncode == -9
    assert time.monotonic() - began < 10
