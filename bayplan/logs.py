"""Log lines on standard error: text for people, JSON for programs; says nothing about what is logged."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Final, TextIO

from bayplan.settings import LogFormat, LogLevel

_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
# Their lines at INFO tell of every connection and request; warnings still come through.
_TALKATIVE: Final = ("urllib3", "kubernetes", "gunicorn.access", "werkzeug")


def set_up(level: LogLevel, log_format: LogFormat, *, stream: TextIO | None = None) -> None:
    """Send everything from `level` on to one stream, replacing what was set up before."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines() if log_format is LogFormat.JSON else TextLines())
    root = logging.getLogger()
    for old in tuple(root.handlers):
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level.upper())
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    logging.captureWarnings(capture=True)


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _extras(record: logging.LogRecord) -> dict[str, Any]:
    """Return what the caller gave as `extra=`."""
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}


class TextLines(logging.Formatter):
    """`2026-01-02T03:04:05.678Z INFO  sources.kube: message key=value`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line, followed by the traceback where there is one."""
        extras = "".join(f" {name}={value}" for name, value in _extras(record).items())
        line = f"{_time(record)} {record.levelname:<7} {record.name}: {record.getMessage()}{extras}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class JsonLines(logging.Formatter):
    """One JSON object a line, with `time`, `level`, `logger`, `message`, what the caller added, and `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line whatever was logged; what JSON does not know is written as text."""
        fields = _extras(record) | {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields, default=str, ensure_ascii=False)
