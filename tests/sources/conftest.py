"""Fixtures for the sources: nothing here reaches beyond the loopback interface."""

from collections.abc import Iterator

import pytest

from tests.sources.http_fake import HttpFake, serve


@pytest.fixture
def server() -> Iterator[HttpFake]:
    with serve(HttpFake()) as fake:
        yield fake


@pytest.fixture
def tls_server() -> Iterator[HttpFake]:
    with serve(HttpFake(), tls=True) as fake:
        yield fake
