"""Sends webhook calls with the Go caller and returns how long each took, by target and verb; judges nothing."""

import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from bench.results import Spread
from bench.stage import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Rounds of calls: each sends one body with every verb to every target."""

    bodies: Iterable[object]
    verbs: tuple[str, ...]
    targets: Mapping[str, str]
    rate: float
    rounds: int


@dataclass(frozen=True, slots=True)
class Seen:
    """How long the calls of one verb to one target took: for the client, and by what the target itself says."""

    client: Spread
    server: Spread


def call(stage: Stage, series: Series) -> dict[tuple[str, str], Seen]:
    """Send the calls one after the other and return what they took by target and verb."""
    bodies = _write(stage.run.folder / "bodies.jsonl", series.bodies)
    targets = [f"{name}={url}/v1" for name, url in series.targets.items()]
    command = [
        stage.go.calls,
        f"-bodies={bodies}",
        f"-verbs={','.join(series.verbs)}",
        f"-rate={series.rate:g}",
        f"-rounds={series.rounds}",
        *targets,
    ]
    patience = 60 + 3 * series.rounds / series.rate
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=patience)
    clients: dict[tuple[str, str], list[float]] = defaultdict(list)
    servers: dict[tuple[str, str], list[float]] = defaultdict(list)
    for line in done.stdout.splitlines():
        one = orjson.loads(line)
        clients[one["target"], one["verb"]].append(one["seconds"])
        servers[one["target"], one["verb"]].extend(float(told) for told in [one["server"]] if told)
    return {key: Seen(Spread(values), Spread(servers[key])) for key, values in clients.items()}


def _write(file: Path, bodies: Iterable[object]) -> Path:
    file.write_bytes(b"".join(orjson.dumps(body) + b"\n" for body in bodies))
    return file
