"""docs/operating.md and docs/troubleshooting.md speak of metrics, labels and refusals that exist."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
import yaml
from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric

from descheduler.metrics import Metrics
from descheduler.planning.figures import PlanMetrics
from extender.gauges import Gauges
from extender.metrics import Meters
from policies.placement.reasons import TEXTS, Reason
from policies.rails.order import RAILS
from simulator.clock import ManualClock
from sources.policy_file import PolicyFile
from tests.extender.test_polling import make_memory

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "operating.md").read_text()
TROUBLES = (DOCS / "troubleshooting.md").read_text()
_SERIES = re.compile(r"\b(bayplan_\w+?)(?:_bucket)?(?:\{([^}]*)\})?(?![\w{])")


def labels_by_name(registry: CollectorRegistry) -> dict[str, set[str]]:
    """Return the labels of every metric of a registry by the name that a scraper sees."""
    found: dict[str, set[str]] = {}
    for collector in list(registry._collector_to_names):
        for family in collector.collect():
            labels: tuple[str, ...] = getattr(family, "_labelnames", ()) or getattr(collector, "_labelnames", ())
            found[_name(family)] = set(labels)
    return found


def _name(family: Metric) -> str:
    return family.name + ("_total" if family.type == "counter" else "")


def unknown(text: str, known: Mapping[str, set[str]]) -> list[str]:
    """Return the series of a text that have an unknown name or label."""
    return [
        f"{name}{{{selector}}}"
        for name, selector in _SERIES.findall(text)
        if name not in known or not _labels(selector) <= known[name]
    ]


def _labels(selector: str) -> set[str]:
    return set(re.findall(r"(\w+)\s*(?:=~|!=|!~|=)", selector))


@pytest.fixture
def known(tmp_path: Path) -> dict[str, set[str]]:
    """The metrics of both services with their labels."""
    policy = tmp_path / "policy.yaml"
    policy.write_text("apiVersion: bayplan.dev/v1alpha1\nkind: Policy\n")
    registry = CollectorRegistry()
    memory = make_memory()
    registry.register(Gauges(memory, PolicyFile(policy), clock=ManualClock()))
    return labels_by_name(registry) | labels_by_name(Meters().registry) | labels_by_name(_of_the_descheduler())


def _of_the_descheduler() -> CollectorRegistry:
    metrics = Metrics()
    PlanMetrics(metrics.registry)
    return metrics.registry


@pytest.mark.parametrize("page", [PAGE, TROUBLES], ids=["operating", "troubleshooting"])
def test_every_metric_and_label_on_the_page_exists(page: str, known: dict[str, set[str]]) -> None:
    assert unknown(page, known) == []


@pytest.mark.parametrize("text", ["bayplan_extender_gone_total", 'bayplan_extender_nodes{colour="red"}'])
def test_unknown_metric_or_label_is_found(text: str, known: dict[str, set[str]]) -> None:
    assert len(unknown(text, known)) == 1


def test_alerts_are_rules_with_an_expression_each() -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)
    (group,) = yaml.safe_load(block)["groups"]

    assert len({rule["alert"] for rule in group["rules"]}) == len(group["rules"])
    assert all("bayplan_" in rule["expr"] for rule in group["rules"])


def test_refusals_on_the_page_have_their_place_in_the_reference() -> None:
    table = PAGE.partition("| refusal |")[2].partition("\n\n")[0]
    named = {name for row in table.splitlines()[2:] for name in re.findall(r"`([a-z-]+)`", row.split("|")[1])}

    assert len(named) > 10
    assert named <= {rail.name for rail in RAILS} | _refusals_besides_rails()


def _refusals_besides_rails() -> set[str]:
    pages = [(DOCS / "reference" / name).read_text() for name in ("rails.md", "descheduler.md")]
    return set(_rows(pages))


def _rows(pages: Iterable[str]) -> Iterable[str]:
    for page in pages:
        yield from re.findall(r"^\| `([a-z-]+)` \|", page, flags=re.MULTILINE)


def rows(page: str, heading: str) -> dict[str, str]:
    """Return what the table under a heading says of the names in its first column."""
    part = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    cells = (line.split(" | ", 1) for line in part.splitlines() if line.startswith("| `"))
    return {name: rest for names, rest in cells for name in re.findall(r"`([\w-]+)`", names)}


def test_every_alert_has_a_row_that_says_what_to_do() -> None:
    assert set(rows(TROUBLES, "An alert fires")) == set(re.findall(r"- alert: (\w+)", PAGE))


@pytest.mark.parametrize("reason", Reason)
def test_every_text_of_a_refused_node_has_a_row_that_says_what_to_do(reason: Reason) -> None:
    assert f"\n| {TEXTS[reason]} | `{reason}` | " in TROUBLES


def test_every_word_that_ends_a_plan_has_a_row_that_says_what_to_do() -> None:
    words = rows((DOCS / "reference" / "descheduler.md").read_text(), "Plans")

    assert "overtaken" in words
    assert {word for word in words if word[0].islower()} <= set(rows(TROUBLES, "A plan was aborted"))
