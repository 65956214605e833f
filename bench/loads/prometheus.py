"""A Prometheus with many series: `python -m bench.loads.prometheus --port P --plan FILE`.

The plan says in JSON which query gives what: `{"series": {of: [labels, …]}, "queries": {promql: {"of": of, "values":
[…]}}}`. Values stay as they are; every sample is stamped as asked. `/thinking` tells for how long it was preparing
answers: what a reader waits for that is no work of its own.
"""

import argparse
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import orjson

from bench.loads.serving import Handler, serve

_HEAD = '{"status":"success","data":{"resultType":"%s","result":['


class Thinking:
    """Seconds in which at least one answer was being prepared."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open = 0
        self._since = 0.0
        self._total = 0.0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the time inside."""
        with self._lock:
            if not self._open:
                self._since = time.monotonic()
            self._open += 1
        try:
            yield
        finally:
            with self._lock:
                self._open -= 1
                if not self._open:
                    self._total += time.monotonic() - self._since

    @property
    def total(self) -> float:
        """Return the seconds so far."""
        with self._lock:
            return self._total


class Answers:
    """The series of each query, with their labels as JSON already."""

    def __init__(self, plan: dict[str, Any]) -> None:
        heads = {of: [orjson.dumps(labels).decode() for labels in series] for of, series in plan["series"].items()}
        self._queries: dict[str, list[tuple[str, str]]] = {
            query: list(zip(heads[given["of"]], (f'"{value:.6g}"' for value in given["values"]), strict=True))
            for query, given in plan["queries"].items()
        }

    def vector(self, query: str, at: float) -> bytes:
        """Return one sample of each series."""
        series = self._queries.get(query, ())
        rows = ",".join([f'{{"metric":{labels},"value":[{at:.3f},{value}]}}' for labels, value in series])
        return f"{_HEAD % 'vector'}{rows}]}}}}".encode()

    def matrix(self, query: str, times: Sequence[float]) -> bytes:
        """Return a sample of each series at each time."""
        pieces = [f"[{at:.3f}," for at in times]
        rows = ",".join(
            [
                f'{{"metric":{labels},"values":[{",".join([piece + value + "]" for piece in pieces])}]}}'
                for labels, value in self._queries.get(query, ())
            ]
        )
        return f"{_HEAD % 'matrix'}{rows}]}}}}".encode()


class PrometheusHandler(Handler):
    """Answers instant and range queries."""

    answers: Answers
    thinking = Thinking()

    def respond(self) -> None:
        """Answer a query, or tell how long answers took."""
        if self.place == "/thinking":
            self.answer({"seconds": self.thinking.total})
            return
        with self.thinking.counted():
            body = self._result(self.query | dict(parse_qsl(self.body.decode())))
        self.answer(body)

    def _result(self, asked: dict[str, str]) -> bytes:
        if self.place.endswith("/query_range"):
            start, end, step = (float(asked[name]) for name in ("start", "end", "step"))
            times = [start + number * step for number in range(int((end - start) / step + 1e-6) + 1)]
            return self.answers.matrix(asked["query"], times)
        return self.answers.vector(asked.get("query", ""), float(asked.get("time") or time.time()))


def main() -> None:
    """Serve until ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--plan", type=Path, required=True)
    given = parser.parse_args()
    PrometheusHandler.answers = Answers(orjson.loads(given.plan.read_bytes()))
    serve(PrometheusHandler, given.port)


if __name__ == "__main__":
    main()
