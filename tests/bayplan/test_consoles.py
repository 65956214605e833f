"""How wide tables are: as a terminal says, and as wide as they need where there is none."""

import pytest

from bayplan.consoles import console


def test_without_a_terminal_nothing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)

    assert console().width == 10_000


def test_a_width_that_is_asked_for_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")

    assert console().width == 70
