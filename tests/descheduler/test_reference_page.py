"""docs/reference/descheduler.md knows every metric, label, state, landing, event and refusal of the code."""

import re
from pathlib import Path

import pytest

from descheduler import acting, decisions, telling
from descheduler.metrics import Metrics
from descheduler.planning import evicting, gate, results
from descheduler.planning import telling as plan_telling
from descheduler.planning.figures import PlanMetrics
from policies.rules import buoyancy, soft_slo
from policies.values.plans import PlanPhase
from policies.values.records import Landing, RecordState

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "descheduler.md").read_text()


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the tables under a heading."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def names(heading: str) -> set[str]:
    """Return the names in the first cells under a heading."""
    return {name for row in rows(heading) for name in re.findall(r"`([^`]+)`", row[0])}


def test_every_metric_stands_there_with_its_labels() -> None:
    documented = {re.findall(r"\w+", row[0])[0]: tuple(re.findall(r"\w+", row[1])) for row in rows("Metrics")}

    found = {}
    metrics = Metrics()
    PlanMetrics(metrics.registry)
    for collector in list(metrics.registry._collector_to_names):
        (family,) = collector.collect()
        name = family.name + ("_total" if family.type == "counter" else "")
        found[name] = tuple(getattr(collector, "_labelnames", ()))
    assert documented == found


def test_every_state_and_landing_of_a_record_stands_there() -> None:
    assert names("EvictionRecord") == {*map(str, RecordState), *map(str, Landing)}


def test_every_event_reason_stands_there() -> None:
    text = Path(plan_telling.__file__).read_text()
    of_plans = set(re.findall(r'"((?:Plan|WouldPlan)[A-Za-z]*)"', text)) - {"PlacementPlan"}

    assert names("Events") == {*telling._REASONS.values(), *telling._LANDED.values(), *of_plans}


def test_every_phase_of_a_plan_stands_there() -> None:
    assert {str(phase) for phase in PlanPhase} <= names("Plans")


def test_every_word_that_ends_a_plan_stands_there() -> None:
    folder = Path(results.__file__).parent
    texts = [path.read_text() for path in folder.glob("*.py")]
    words = {word for text in texts for word in re.findall(r'word="([a-z-]+)"', text)}

    assert len(words) > 10
    assert words - {evicting._GONE} <= names("Plans")


def test_every_word_of_an_attempt_without_a_plan_stands_there() -> None:
    words = {results.STANDBY, results.CANCELLED, results.BUSY, results.UNREADABLE, results.REFUSED}

    assert words <= set(re.findall(r"`([a-z-]+)`", PAGE))


@pytest.mark.parametrize("module", [buoyancy, soft_slo])
def test_every_refusal_of_the_rules_stands_there(module: object) -> None:
    text = Path(str(getattr(module, "__file__", ""))).read_text()
    raised = set(re.findall(r'Refusal\(\s*"([a-z-]+)"', text)) | (
        {soft_slo.NOT_PLACEMENT} if module is soft_slo else set()
    )

    assert raised
    assert raised <= names("Refusals that are not rails")


def test_every_refusal_of_the_act_stands_there() -> None:
    raised = {acting.LEASE, acting.LEDGER, acting.STALE, acting.STOPPING, decisions.API, gate.PLAN_ACTIVE}

    assert raised <= names("Refusals that are not rails")


def test_every_timed_step_stands_there() -> None:
    text = (Path(__file__).parents[2] / "descheduler" / "cycle.py").read_text()

    assert names("One cycle") == set(re.findall(r'_timed\("(\w+)"\)', text))
