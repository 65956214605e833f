"""The configuration of Prometheus; it runs in the end-to-end tests only."""

import pytest
import yaml

from controlplane.processes import ProgramError
from controlplane.programs import prometheus


def test_jobs_are_scraped_at_the_interval_and_keep_the_labels_of_the_exposition() -> None:
    jobs = [prometheus.scrape("figures", "127.0.0.1:1", path="/metrics/n1", labels={"node": "n1"})]

    made = yaml.safe_load(prometheus.configuration(jobs, interval="1s"))

    assert made["global"] == {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
    (job,) = made["scrape_configs"]
    assert job["honor_labels"] is True
    assert job["metrics_path"] == "/metrics/n1"
    assert job["static_configs"] == [{"targets": ["127.0.0.1:1"], "labels": {"node": "n1"}}]


def test_missing_program_is_an_error_that_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(ProgramError, match=r"prometheus is not installed: `apt-get install prometheus"):
        prometheus.find("prometheus")
