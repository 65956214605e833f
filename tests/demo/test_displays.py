"""What a person or a log gets to read."""

import io
import re

import pytest
from rich.console import Console

from demo import __main__ as command
from demo import displays, results, tables
from demo.displays import Clock, Lines, Tables
from demo.results import Check, Results
from tests.demo.scenery import decision, move, node, sight

HOT = sight(
    node("node-1", score=1.4, headroom=-0.4, refused="buoyancy", buoyancy=-0.4, points=0),
    node("node-2", slack=-0.25, buoyancy=-0.25),
    node("node-3", score=None, headroom=None, slack=None, buoyancy=None, confidence="unknown"),
    decisions=(decision(), decision(kind="refused", rail="veto", pod="encoder-1", why="annotation on the pod")),
    moves=(move(),),
    cycles=1,
)


class Stopped(Clock):
    """A clock that tells the time that it is given."""

    now = 0.0

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return self.now


def written(console: Console) -> str:
    """Return what was printed on a console of these tests."""
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture
def pipe() -> Console:
    """A console that is no terminal."""
    return Console(file=io.StringIO(), width=160)


@pytest.fixture
def terminal() -> Console:
    """A console that is a terminal."""
    return Console(file=io.StringIO(), width=100, height=40, force_terminal=True)


def test_lines_tell_decisions_at_once_and_the_state_every_five_seconds(pipe: Console) -> None:
    clock = Stopped()
    lines = Lines(pipe, clock)

    for clock.now in (61.0, 63.0, 66.0):
        lines.show(HOT, None, [decision()] if clock.now == 63.0 else [])

    assert written(pipe).splitlines() == [
        "1:01    fullest node node-1 R 1.40, worst slack -0.25 on node-2, 3 nodes, 1 closed to new pods",
        "1:03    evicted: search-1 on node-1: hot",
        "1:06    fullest node node-1 R 1.40, worst slack -0.25 on node-2, 3 nodes, 1 closed to new pods",
    ]


def test_lines_print_brackets_as_they_are(pipe: Console) -> None:
    with Lines(pipe, Stopped()) as lines:
        lines.tell("a pod [red] of mine")

    assert written(pipe) == "0:00  a pod [red] of mine\n"


def test_status_of_nothing_known_says_so() -> None:
    text = displays.status(sight(troubles={"signals": "no Prometheus"}))

    assert text == "fullest node - R -, worst slack - on -, 0 nodes; troubles: no Prometheus"


def test_decision_without_a_pod_is_a_sentence() -> None:
    nobody = decision(kind="refused", rail="no-history", pod="", node="", why="none yet")

    assert displays.sentence(nobody) == "refused by no-history: nobody on no node: none yet"


def test_tables_are_for_terminals_and_lines_for_everything_else(pipe: Console, terminal: Console) -> None:
    clock = Stopped()

    assert isinstance(displays.display(terminal, clock, plain=False), Tables)
    assert isinstance(displays.display(terminal, clock, plain=True), Lines)
    assert isinstance(displays.display(pipe, clock, plain=False), Lines)


@pytest.mark.parametrize("height", [24, 40])
def test_live_tables_show_nodes_and_decisions_and_leave_the_story_on_the_screen(height: int) -> None:
    console = Console(file=io.StringIO(), width=100, height=height, force_terminal=True, color_system=None)
    memory = results.remember(sight())
    new = memory.see(HOT)

    with displays.Tables(console, Stopped()) as shown:
        shown.tell("node-1 turns hot")
        shown.show(HOT, memory, new)
    text = written(console)

    before, _, after = text.rpartition("\x1b[?1049l")  # the terminal's first screen again
    assert re.search(r"node-1 +5 +█+· 1.40 +-0.40 +- +-0.40 +refused", before)
    assert re.search(r"node-3 +5 +not known +- +- +- +5 of 10", before)
    assert "refused: veto" in before or height == 24
    assert after.strip() == "0:00  node-1 turns hot"


def test_live_tables_before_the_story_have_no_decisions(terminal: Console) -> None:
    with displays.Tables(terminal, Stopped()) as shown:
        shown.show(sight(node(), troubles={"signals": "no Prometheus"}), None, [])

    assert "descheduler: no Prometheus" in written(terminal)


@pytest.mark.parametrize(
    ("margin", "style"), [(None, "dim"), (float("nan"), "dim"), (-0.1, "bold red"), (0.2, "yellow"), (0.5, "green")]
)
def test_colour_tells_how_thin_a_margin_is(margin: float | None, style: str) -> None:
    assert tables.colour(margin) == style


@pytest.mark.parametrize(("score", "filled"), [(0.0, 0), (0.75, 6), (1.5, 12), (9.0, 12)])
def test_bar_grows_with_the_score_and_ends(score: float, filled: int) -> None:
    text = tables.bar(score).plain

    assert text.count("█") == filled
    assert len(text.split()[0]) == 12


def end(*, true: bool = True, failure: str = "") -> Results:
    """Return the end of a story."""
    memory = results.remember(sight(node()))
    memory.see(HOT)
    checks = (Check("no pod was lost", true=true, seen="60 run"),)
    return Results(memory=memory, after=memory.before, checks=checks, seconds=77.4, failure=failure)


def test_ending_compares_before_worst_and_after(pipe: Console) -> None:
    pipe.print(tables.ending(end()))

    text = written(pipe)
    assert re.search(r"most contended node \(score R\) +0.50 node-1 +1.40 node-1 +0.50 node-1", text)
    assert re.search(r"worst slack of an objective +- +-0.25 node-2 +-", text)
    assert re.search(r"search-1 +node-1 +search-2 +node-2 +Moved +buoyancy", text)
    assert re.search(r"encoder-1 +node-1 +refused: veto +1 +annotation on the pod", text)
    assert "true  no pod was lost (60 run)" in text


def test_ending_shows_what_did_not_come_true(pipe: Console) -> None:
    pipe.print(tables.ending(end(true=False)))

    assert "FALSE no pod was lost" in written(pipe)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (end(), "All of it came true, told in 77 s."),
        (end(true=False), "Not all of it came true, told in 77 s: see FALSE above."),
        (end(failure="waited 90 s for rain"), "The story broke off after 77 s: waited 90 s for rain"),
    ],
)
def test_last_line_says_how_it_went(found: Results, text: str) -> None:
    assert command.verdict(found) == text


def test_console_of_a_pipe_is_wide_enough_for_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", io.StringIO())

    assert displays.console().width == 160


def test_time_is_told_in_minutes_and_seconds() -> None:
    clock = Stopped()
    clock.now = 125.9

    assert str(clock) == "2:05"
    assert Clock().seconds >= 0.0
