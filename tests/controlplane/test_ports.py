"""Claiming loopback ports."""

import socket
from pathlib import Path

import pytest

from controlplane import ports


def test_a_name_keeps_its_port_and_names_differ(tmp_path: Path) -> None:
    claims = ports.PortClaims(tmp_path)

    taken = {claims.port(f"program-{number}") for number in range(20)}

    assert len(taken) == 20
    assert taken <= set(ports.RANGE)
    assert claims.port("program-3") == claims.port("program-3")
    claims.close()


def test_two_runs_side_by_side_never_share_a_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "RANGE", range(21_000, 21_300))  # small, so that they would meet
    one, other = ports.PortClaims(tmp_path), ports.PortClaims(tmp_path)

    ours = {one.port(str(number)) for number in range(60)}
    theirs = {other.port(str(number)) for number in range(60)}

    assert not ours & theirs
    one.close()
    other.close()


def test_a_port_in_use_is_not_free() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()

        assert not ports.is_free(server.getsockname()[1])


def test_no_free_port_is_an_error_that_names_the_range(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "is_free", lambda _: False)
    claims = ports.PortClaims(tmp_path)

    with pytest.raises(ports.NoFreePortError, match=r"no free port on 127\.0\.0\.1 among 200 of 20000-31999"):
        claims.port("etcd")
    claims.close()
