"""The installation guide names files, commands, events and metrics that exist."""

import re
from pathlib import Path

import pytest
import yaml

from bayplan.cli import COMMANDS
from descheduler import telling
from descheduler.metrics import Metrics
from extender.service import Service
from simulator.api_server import ApiServer
from tests.manifests import DEPLOY, LAYOUTS, documents

ROOT = DEPLOY.parent
GUIDE = (ROOT / "docs" / "install.md").read_text()


def test_every_layout_is_described() -> None:
    for layout in LAYOUTS:
        assert f"`deploy/{layout}`" in GUIDE


@pytest.mark.parametrize("path", sorted(set(re.findall(r"deploy/[\w./+-]*\w", GUIDE))))
def test_named_file_exists(path: str) -> None:
    assert (ROOT / path).exists() or list(ROOT.glob(path))


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([\w./-]+)\)", GUIDE))))
def test_link_leads_somewhere(link: str) -> None:
    assert (ROOT / "docs" / link).exists()


@pytest.mark.parametrize("reason", sorted(set(re.findall(r"reason=(\w+)", GUIDE))))
def test_event_reason_is_one_of_ours(reason: str) -> None:
    known = {*telling._REASONS.values(), *telling._LANDED.values()}

    assert reason in known


@pytest.mark.parametrize("command", sorted(set(re.findall(r"bayplan (\w+) (?:run|check|preset)", GUIDE))))
def test_command_exists(command: str) -> None:
    assert command in COMMANDS


def test_every_named_metric_exists(extender: tuple[Service, ApiServer]) -> None:
    service, _ = extender
    families = [*service.memory.meters.registry.collect(), *Metrics().registry.collect()]
    names = {family.name for family in families}

    known = names | {f"{name}{suffix}" for name in names for suffix in ("_total", "_count")}

    assert set(re.findall(r"\bbayplan_(?:extender|descheduler)_\w+", GUIDE)) <= known


def test_overlay_of_the_guide_replaces_what_the_layouts_have() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    overlay = yaml.safe_load(text)
    base: dict[str, object] = documents(DEPLOY / "base" / "kustomization.yaml")[0]

    assert (ROOT / Path(overlay["resources"][0]).relative_to("bayplan")).is_dir()
    images = base["images"]
    assert isinstance(images, list)
    assert {image["name"] for image in overlay["images"]} == {image["name"] for image in images}
    assert overlay["configMapGenerator"][0]["name"] == "bayplan-policy"
