"""Prometheus of the machine (Debian's package), with its data in the run's folder, and its answers to queries."""

import shutil
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import requests
import yaml

from controlplane.probing import http_ok
from controlplane.processes import Command, Program, ProgramError
from controlplane.runs import Run


def find(name: str) -> str:
    """Return the file of a program that a Debian package installs.

    Raises:
        ProgramError: it is not on PATH; the text says how to install it.
    """
    found = shutil.which(name)
    if found is None:
        raise ProgramError(f"{name} is not installed: `apt-get install prometheus prometheus-node-exporter` (Debian)")
    return found


def scrape(
    job: str, address: str, *, path: str = "/metrics", labels: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return a scrape job with one target; labels of the exposition win over the target's."""
    return {
        "job_name": job,
        "metrics_path": path,
        "honor_labels": True,
        "static_configs": [{"targets": [address], "labels": dict(labels or {})}],
    }


def configuration(jobs: Sequence[Mapping[str, Any]], *, interval: str) -> str:
    """Return a configuration that scrapes these jobs at this interval."""
    pace = {"scrape_interval": interval, "scrape_timeout": interval, "evaluation_interval": interval}
    return yaml.safe_dump({"global": pace, "scrape_configs": [dict(job) for job in jobs]}, sort_keys=False)


class Prometheus:
    """A Prometheus that scrapes the given jobs; a context manager, ready when entered."""

    def __init__(
        self, run: Run, jobs: Sequence[Mapping[str, Any]], *, interval: str = "1s", name: str = "prometheus"
    ) -> None:
        self._run = run
        self._name = name
        self._interval = interval
        self.url = f"http://127.0.0.1:{run.port(name)}"
        self._session = requests.Session()
        self._session.trust_env = False
        self.program = self._program(jobs)

    def __enter__(self) -> Self:
        self.program.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()
        self.program.kill()

    def scrape(self, jobs: Sequence[Mapping[str, Any]], *, interval: str | None = None) -> None:
        """Scrape these jobs instead, at this interval, from now on."""
        self._interval = interval or self._interval
        self._run.write(f"{self._name}.yaml", configuration(jobs, interval=self._interval))
        self._session.post(f"{self.url}/-/reload", timeout=10).raise_for_status()

    def query(self, expression: str, *, at: float | None = None) -> list[tuple[dict[str, str], float]]:
        """Return the labels and value of every series that an instant query gives."""
        return [(sample["metric"], float(sample["value"][1])) for sample in self._result(expression, at)]

    def samples(self, selector: str, *, at: float | None = None) -> list[tuple[float, float]]:
        """Return time (Unix seconds) and value of the samples that a range selector such as `up[1m]` gives, as stored.

        Those of several series come one series after the other.
        """
        found = self._result(selector, at)
        return [(float(moment), float(value)) for series in found for moment, value in series["values"]]

    def value(self, expression: str) -> float | None:
        """Return the value of a query that gives at most one series.

        Raises:
            ValueError: it gives several.
        """
        found = self.query(expression)
        if len(found) > 1:
            raise ValueError(f"{expression} gives {len(found)} series, not one: {[labels for labels, _ in found][:5]}")
        return found[0][1] if found else None

    def _result(self, expression: str, at: float | None) -> list[dict[str, Any]]:
        moment = str(time.time() if at is None else at)
        answer = self._session.get(f"{self.url}/api/v1/query", params={"query": expression, "time": moment}, timeout=10)
        answer.raise_for_status()
        found: list[dict[str, Any]] = answer.json()["data"]["result"]
        return found

    def _program(self, jobs: Sequence[Mapping[str, Any]]) -> Program:
        file = self._run.write(f"{self._name}.yaml", configuration(jobs, interval=self._interval))
        arguments = [
            find("prometheus"),
            f"--config.file={file}",
            f"--storage.tsdb.path={self._run.subfolder(self._name)}",
            f"--web.listen-address={self.url.removeprefix('http://')}",
            "--web.enable-lifecycle",
            "--log.level=warn",
        ]
        return self._run.program(Command(name=self._name, arguments=arguments, ready=http_ok(f"{self.url}/-/ready")))
