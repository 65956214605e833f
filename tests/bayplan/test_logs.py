"""Log lines: one shape for people, one for programs, whatever is logged."""

import io
import json
import logging
from collections.abc import Iterator

import pytest

from bayplan.logs import JsonLines, TextLines, set_up
from bayplan.settings import LogFormat, LogLevel

LOG = logging.getLogger("sources.kube")


def make_record(message: str, *arguments: object, **extra: object) -> logging.LogRecord:
    """Return a record of 2026-01-02 03:04:05.678 UTC."""
    record = LOG.makeRecord(LOG.name, logging.INFO, "file.py", 1, message, arguments, None, extra=extra)
    record.created = 1767323045.678
    return record


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Give a stream to log to, and the root logger as it was afterwards."""
    root = logging.getLogger()
    handlers, level = tuple(root.handlers), root.level
    yield io.StringIO()
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    root.setLevel(level)


def test_text_line_has_time_level_logger_message_and_extras() -> None:
    line = TextLines().format(make_record("node %s is stale", "n1", age=75))

    assert line == "2026-01-02T03:04:05.678Z INFO    sources.kube: node n1 is stale age=75"


def test_json_line_has_the_same_as_fields() -> None:
    assert json.loads(JsonLines().format(make_record("node %s is stale", "n1", age=75))) == {
        "time": "2026-01-02T03:04:05.678Z",
        "level": "info",
        "logger": "sources.kube",
        "message": "node n1 is stale",
        "age": 75,
    }


def test_json_line_stays_one_line_of_json_whatever_is_logged() -> None:
    line = JsonLines().format(make_record("two\nlines", thing=object, number=float("nan"), word="ü"))

    assert "\n" not in line
    assert json.loads(line)["message"] == "two\nlines"
    assert "class 'object'" in json.loads(line)["thing"]


@pytest.mark.parametrize("log_format", LogFormat)
def test_traceback_is_kept(log_format: LogFormat, stream: io.StringIO) -> None:
    set_up(LogLevel.INFO, log_format, stream=stream)

    LOG.error("task failed", exc_info=RuntimeError("lost"))

    assert "task failed" in stream.getvalue()
    assert "RuntimeError: lost" in stream.getvalue()
    assert len(stream.getvalue().splitlines()) == 1 or log_format is LogFormat.TEXT


def test_level_decides_what_is_written(stream: io.StringIO) -> None:
    set_up(LogLevel.WARNING, LogFormat.TEXT, stream=stream)

    LOG.info("unheard")
    LOG.warning("heard")

    assert "unheard" not in stream.getvalue()
    assert "heard" in stream.getvalue()


def test_setting_up_again_replaces_what_was_there(stream: io.StringIO) -> None:
    set_up(LogLevel.INFO, LogFormat.TEXT, stream=io.StringIO())
    set_up(LogLevel.INFO, LogFormat.JSON, stream=stream)

    LOG.info("once")

    assert len(stream.getvalue().splitlines()) == 1
    assert json.loads(stream.getvalue())["message"] == "once"


def test_libraries_that_tell_of_every_request_are_held_back(stream: io.StringIO) -> None:
    set_up(LogLevel.DEBUG, LogFormat.TEXT, stream=stream)

    logging.getLogger("urllib3.connectionpool").debug("connection 1")
    logging.getLogger("urllib3.connectionpool").warning("pool is full")

    assert "connection 1" not in stream.getvalue()
    assert "pool is full" in stream.getvalue()
