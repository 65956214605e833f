"""The exporter over real loopback HTTP."""

from collections.abc import Iterator

import pytest
import requests

from controlplane.exporter import Exporter


@pytest.fixture
def exporter() -> Iterator[Exporter]:
    with Exporter() as made:
        yield made


def get(exporter: Exporter, path: str) -> tuple[int, str]:
    answer = requests.get(f"http://{exporter.address}{path}", timeout=5)
    return answer.status_code, answer.text


def test_all_targets_are_served_together_and_each_alone(exporter: Exporter) -> None:
    exporter.put("n1", "a 1")
    exporter.put("n2", "a 2\n")

    assert get(exporter, "/metrics") == (200, "a 1\na 2\n")
    assert get(exporter, "/metrics/n2") == (200, "a 2\n")


def test_figures_are_computed_at_the_time_of_the_scrape(exporter: Exporter) -> None:
    asked: list[float] = []

    def source(at: float) -> str:
        asked.append(at)
        return f"a {len(asked)}\n"

    exporter.put("n1", source)

    assert [get(exporter, "/metrics")[1] for _ in range(2)] == ["a 1\n", "a 2\n"]
    assert asked[1] > asked[0]


def test_targets_are_set_and_removed_over_http(exporter: Exporter) -> None:
    url = f"http://{exporter.address}/metrics/n1"

    assert requests.put(url, data="a 1\n", timeout=5).ok
    assert get(exporter, "/metrics/n1") == (200, "a 1\n")
    assert requests.delete(url, timeout=5).ok
    assert get(exporter, "/metrics/n1") == (404, "nothing is exposed at /metrics/n1\n")
    assert get(exporter, "/metrics") == (200, "")


def test_put_without_a_target_is_refused(exporter: Exporter) -> None:
    answer = requests.put(f"http://{exporter.address}/metrics", data="a 1\n", timeout=5)

    assert answer.status_code == 400
    assert "PUT wants /metrics/<target>" in answer.text


def test_removing_an_unknown_target_changes_nothing(exporter: Exporter) -> None:
    exporter.put("n1", "a 1\n")

    exporter.remove("n2")

    assert get(exporter, "/metrics") == (200, "a 1\n")
