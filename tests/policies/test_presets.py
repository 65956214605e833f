"""The presets: loadable, explained line by line, in observe mode, with queries that Prometheus understands."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bayplan import presets
from policies.model.policy import Policy
from policies.model.signals import Signals

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases" / "preset_queries.yaml").read_text())
PROMTOOL = shutil.which("promtool")
NEEDS_PROMTOOL = pytest.mark.skipif(
    PROMTOOL is None, reason="promtool (Debian package prometheus) is not on this machine"
)
WARNINGS = {
    "cadvisor-resctrl-perf": [],
    "cautious": [],
    "kubelet-psi": [],
    "metrics-server": ["buoyancy.descheduleAfter"],
    "paper": [
        "buoyancy.descheduleAfter",
        "buoyancy.includeSlack",
        "eviction.limits",
        "eviction.minReadyReplicas",
        "plan.trigger",
        "plan.eviction.limits",
        "plan.eviction.minReadyReplicas",
    ],
}


def policy(name: str) -> Policy:
    return presets.preset(name).policy


def test_presets_are_the_documented_five() -> None:
    assert list(presets.names()) == list(WARNINGS)


@pytest.mark.parametrize("name", WARNINGS)
def test_preset_loads_with_no_other_warnings_than_its_nature_demands(name: str) -> None:
    assert [warning.path for warning in presets.preset(name).warnings] == WARNINGS[name]


@pytest.mark.parametrize("name", WARNINGS)
def test_preset_only_observes(name: str) -> None:
    assert policy(name).eviction.mode == "observe"


@pytest.mark.parametrize("name", WARNINGS)
def test_every_line_of_a_preset_is_explained(name: str) -> None:
    lines = presets.text(name).splitlines()
    bare = [
        line
        for before, line in zip(["", *lines], lines, strict=False)
        if re.match(r"\s*(- \{|\w+:)", line.lstrip("- ")) and "  # " not in line and not before.lstrip().startswith("#")
    ]

    assert bare == []


@pytest.mark.parametrize(("name", "like"), [("paper", "cadvisor-resctrl-perf"), ("cautious", "kubelet-psi")])
def test_presets_of_one_kind_measure_alike(name: str, like: str) -> None:
    assert policy(name).signals == policy(like).signals


@pytest.mark.parametrize("name", ["kubelet-psi", "cadvisor-resctrl-perf"])
def test_presets_to_begin_with_spell_out_the_defaults(name: str) -> None:
    default = Policy(api_version="bayplan.dev/v1alpha1", kind="Policy")

    assert policy(name).model_dump(exclude={"signals"}) == default.model_dump(exclude={"signals"})


@pytest.mark.parametrize("name", ["kubelet-psi", "cadvisor-resctrl-perf"])
def test_every_resource_has_ages_for_nodes_and_pods(name: str) -> None:
    resources = policy(name).signals.resources.values()

    assert all(resource.age and resource.pod_age for resource in resources)


def test_paper_has_none_of_our_guards() -> None:
    eviction = policy("paper").eviction

    assert (eviction.only_if_node_below, eviction.fall_back, eviction.destination, eviction.net_gain) == (
        "off",
        "none",
        "off",
        "off",
    )
    assert (eviction.max_breached_share, eviction.max_unusable_nodes, eviction.consecutive) == (1, 1, 1)
    assert (eviction.limits, eviction.min_ready_replicas, eviction.min_pod_age) == ((), 0, 0)
    assert (eviction.cool_down.max, policy("paper").steering.avoid_source) == (0, 0)
    assert policy("paper").buoyancy.max_refused_nodes == 1


def test_metrics_server_counts_use_of_85_percent_as_full_and_names_the_deployment() -> None:
    resources = policy("metrics-server").signals.resources

    assert {name: resource.full for name, resource in resources.items()} == {"cpu": 0.85, "memory": 0.85}
    assert "descheduler-deployment" in presets.text("metrics-server")


def test_unknown_preset_names_those_that_are() -> None:
    with pytest.raises(KeyError, match="no preset 'psi'; allowed is cadvisor-resctrl-perf, cautious"):
        presets.text("psi")


def queries(signals: Signals) -> dict[str, str]:
    """Return every query of a preset's resources as `<resource>.<field>`."""
    return {
        f"{name}.{query}": text
        for name, resource in signals.resources.items()
        for query, text in resource.queries().items()
    }


def run_promtool(*arguments: str, folder: Path) -> str:
    """Run promtool and return what it says, empty when it is content."""
    command = [str(PROMTOOL), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=20, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@NEEDS_PROMTOOL
@pytest.mark.parametrize("name", WARNINGS)
def test_prometheus_can_parse_every_query(name: str, tmp_path: Path) -> None:
    found = queries(policy(name).signals)
    rules = [{"record": f"check:q{index}", "expr": text} for index, text in enumerate(found.values())]
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}))

    assert run_promtool("check", "rules", "rules.yaml", folder=tmp_path) == ""


@NEEDS_PROMTOOL
def test_a_query_that_prometheus_cannot_parse_is_found(tmp_path: Path) -> None:
    rules = [{"record": "check:q", "expr": "sum by (instance (up)"}]
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}))

    assert "could not parse expression" in run_promtool("check", "rules", "rules.yaml", folder=tmp_path)


@NEEDS_PROMTOOL
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_query_makes_of_raw_series_what_it_should(case: dict[str, Any], tmp_path: Path) -> None:
    preset, resource, field = case["query"]
    query = policy(preset).signals.resources[resource].model_dump(by_alias=True)[field]
    expected = [{"labels": labels, "value": value} for labels, value in case["expect"].items()]
    test = {
        "evaluation_interval": "15s",
        "tests": [
            {
                "interval": "15s",
                "input_series": [{"series": name, "values": values} for name, values in case["series"].items()],
                "promql_expr_test": [
                    {"expr": f"round({query}, 0.001)", "eval_time": case["at"], "exp_samples": expected}
                ],
            }
        ],
    }
    (tmp_path / "test.yaml").write_text(yaml.safe_dump(test))

    assert run_promtool("test", "rules", "test.yaml", folder=tmp_path) == ""
