"""The worked rows of the buoyancy design (docs/design/buoyancy.md, section 8) as data: W1 to W6, N1 to N17, a victim.

None stands for a value that is missing; NaN for one that was measured as such.
"""

from dataclasses import dataclass
from typing import Any, Final

import pytest

NAN: Final = float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadRow:
    """Samples of one workload under an objective, and what follows."""

    name: str
    wanted: int
    samples: tuple[float, ...]
    slacks: tuple[float | None, ...]
    average: float | None
    evicted_at: tuple[float, ...]
    scores: tuple[float | None, ...]
    buoyancy: float
    objective: float = 0.2
    more_is_better: bool = False


WORKLOADS: Final = (
    WorkloadRow(
        name="W1",
        wanted=3,
        samples=(0.120, 0.130, 0.140),
        slacks=(0.4, 0.35, 0.3),
        average=0.35,
        evicted_at=(),
        scores=(0.5, 0.2, 0.3),
        buoyancy=0.35,
    ),
    WorkloadRow(
        name="W2",
        wanted=1,
        samples=(0.140, 0.260),
        slacks=(0.3, -0.3),
        average=-0.3,
        evicted_at=(0.0, -0.1, -0.2),
        scores=(0.6, 0.1, 0.2),
        buoyancy=-0.3,
    ),
    WorkloadRow(
        name="W3",
        wanted=3,
        samples=(0.260, 0.180, 0.160),
        slacks=(-0.3, 0.1, 0.2),
        average=0.0,
        evicted_at=(),
        scores=(0.75, 0.3, 0.4),
        buoyancy=0.0,
    ),
    WorkloadRow(
        name="W4",
        wanted=3,
        samples=(0.240, 0.230, 0.250),
        slacks=(-0.2, -0.15, -0.25),
        average=-0.2,
        evicted_at=(0.0, -0.1),
        scores=(0.85, 0.4, 0.95),
        buoyancy=-0.2,
    ),
    WorkloadRow(
        name="W5",
        wanted=3,
        samples=(1200.0, 900.0, 2500.0),
        slacks=(0.2, -0.1, 1.0),
        average=11 / 30,
        evicted_at=(),
        scores=(0.7, None, 0.2),
        buoyancy=0.3,
        objective=1000.0,
        more_is_better=True,
    ),
    WorkloadRow(
        name="W6",
        wanted=3,
        samples=(0.100, NAN, 0.140),
        slacks=(0.5, None, 0.3),
        average=None,
        evicted_at=(),
        scores=(0.4, 0.25, NAN),
        buoyancy=0.6,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRow:
    """Scores of one node for cpu, llc and mbw, its least slack, and what follows at thresholds 0.1 and 0.

    `stale` names resources whose value is too old. `score` is `S_n` of what is known, None where nothing is; `partial`
    rows score at most the neutral score.
    """

    name: str
    scores: tuple[float | None, float | None, float | None]
    buoyancy: float | None
    refused: bool
    score: int | None
    slack: float | None = None
    include: str = "off"
    stale: tuple[str, ...] = ()
    partial: bool = False
    contested: str | None = None


NODES: Final = (
    NodeRow(name="N1", scores=(0.45, 0.3, 0.2), buoyancy=0.55, refused=False, score=6),
    NodeRow(name="N2", scores=(0.7, 0.35, 0.5), buoyancy=0.3, refused=False, score=3),
    NodeRow(name="N3", scores=(0.6, 0.2, 0.9), buoyancy=0.1, refused=False, score=1),
    NodeRow(name="N4", scores=(0.92, 0.2, 0.9), buoyancy=0.08, refused=True, score=1),
    NodeRow(name="N5", scores=(1.0, 0.4, 0.8), buoyancy=0.0, refused=True, score=0),
    NodeRow(name="N6", scores=(1.15, 0.4, 0.6), buoyancy=-0.15, refused=True, score=0, contested="cpu"),
    NodeRow(
        name="N7 score", scores=(0.45, 0.2, 0.3), slack=-0.25, include="score", buoyancy=-0.25, refused=False, score=0
    ),
    NodeRow(
        name="N7 filter", scores=(0.45, 0.2, 0.3), slack=-0.25, include="filter", buoyancy=-0.25, refused=True, score=0
    ),
    NodeRow(name="N8", scores=(0.8, None, NAN), buoyancy=0.2, refused=False, score=2, partial=True),
    NodeRow(name="N9", scores=(0.99, 0.1, 0.3), stale=("cpu",), buoyancy=0.7, refused=False, score=7, partial=True),
    NodeRow(name="N10", scores=(None, None, None), buoyancy=None, refused=False, score=None, partial=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRow:
    """N14 and N15: a pod of 2 of 8 cores leaves a node at R = 1.1 for one of 16 cores."""

    name: str
    destination: float
    destination_after: float
    fits: bool
    ratio: float = 0.5
    pod: float = 0.25
    source: float = 1.1
    source_after: float = 0.85


MOVES: Final = (
    MoveRow(name="N14", destination=0.7, destination_after=0.825, fits=True),
    MoveRow(name="N15", destination=0.8, destination_after=0.925, fits=False),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRow:
    """N16 and N17: three pods with requests of 0.5 cores on a node of 4, bound so long after its newest sample."""

    name: str
    bound_after: float
    load: float
    headroom: float
    requests: tuple[float, ...] = (0.5, 0.5, 0.5)
    allocatable: float = 4.0
    measured: float = 0.7
    rate_window: float = 60.0


LOADS: Final = (
    LoadRow(name="N16", bound_after=10.0, load=0.375, headroom=-0.075),
    LoadRow(name="N17", bound_after=-15.0, load=0.28125, headroom=0.01875),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VictimRow:
    """A pod on N6: its `R_i` for cpu and its `s_bar`; e belongs to a DaemonSet."""

    pod: str
    score: float | None
    slack: float
    owner: str = "ReplicaSet"


VICTIMS: Final = (
    VictimRow(pod="a", score=0.20, slack=-0.40),
    VictimRow(pod="b", score=0.55, slack=0.10),
    VictimRow(pod="c", score=0.55, slack=-0.05),
    VictimRow(pod="d", score=None, slack=0.30),
    VictimRow(pod="e", score=0.80, slack=0.20, owner="DaemonSet"),
)
VICTIM_ORDER: Final = ("e", "c", "b", "a")
VICTIM: Final = "c"


def named(rows: tuple[Any, ...]) -> Any:
    """Return pytest parameters named after the rows."""
    return [pytest.param(row, id=row.name) for row in rows]


def close(value: object) -> Any:
    """Compare as the design asks: an absolute tolerance of 1e-9."""
    return pytest.approx(value, abs=1e-9, rel=0, nan_ok=True)
