"""Prometheus sources of the fake server."""

from collections.abc import Iterator
from typing import Any

import pytest

from policies.model.prometheus import Prometheus
from sources.prometheus.adapter import PrometheusSource
from tests.sources.http_fake import HttpFake
from tests.sources.prometheus.answers import Opening


@pytest.fixture
def opening() -> Iterator[Opening]:
    opened: list[PrometheusSource] = []

    def open_source(**settings: Any) -> PrometheusSource:
        opened.append(PrometheusSource(Prometheus(**settings)))
        return opened[-1]

    yield open_source
    for source in opened:
        source.close()


@pytest.fixture
def source(server: HttpFake, opening: Opening) -> PrometheusSource:
    return opening(url=server.url, timeout=2.0)
