"""The worked rows that people read are the ones that are tested."""

import math
from pathlib import Path

import pytest

from tests.policies.buoyancy.rows import NODES, VICTIM, VICTIM_ORDER, WORKLOADS, NodeRow, WorkloadRow, named

TEXT = (Path(__file__).parents[3] / "docs" / "design" / "buoyancy.md").read_text(encoding="utf-8")


def cells(row: str) -> list[str]:
    """Return the cells of the table line that begins with a row's name."""
    (line,) = [line for line in TEXT.splitlines() if line.startswith(f"| {row} |")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def shown(value: float | None) -> str:
    if value is None:
        return "-"
    return "NaN" if math.isnan(value) else f"{value:g}"


@pytest.mark.parametrize("row", named(WORKLOADS))
def test_workload_rows(row: WorkloadRow) -> None:
    _, wanted, samples, slacks, average, breaches, scores, buoyancy = cells(row.name)
    scale = 1 if row.more_is_better else 1000

    assert int(wanted) == row.wanted
    assert samples == ", ".join(shown(sample * scale) for sample in row.samples)
    assert slacks == ", ".join(shown(slack) for slack in row.slacks)
    assert average == {None: "unknown", 11 / 30: "11/30"}.get(row.average, shown(row.average))
    assert breaches.split(" / ") == ["yes" if at in row.evicted_at else "no" for at in (0.0, -0.1, -0.2)]
    assert scores == ", ".join(shown(score) for score in row.scores)
    assert float(buoyancy) == row.buoyancy


@pytest.mark.parametrize("row", named(NODES))
def test_node_rows(row: NodeRow) -> None:
    _, scores, slack, buoyancy, verdict, score, oversubscribed = cells(row.name)

    assert scores.removeprefix("stale ") == ", ".join(shown(score) for score in row.scores)
    assert slack == ("" if row.slack is None else shown(row.slack))
    assert buoyancy == ("unknown" if row.buoyancy is None else shown(row.buoyancy))
    assert verdict == ("refused" if row.refused else "feasible")
    assert ("neutral" in score) is row.partial
    assert oversubscribed == (row.contested or "no")


def test_the_victim_on_n6() -> None:
    assert f"Order {', '.join(VICTIM_ORDER)};" in TEXT
    assert f"so **{VICTIM}** goes" in TEXT
