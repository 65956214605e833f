"""The server as it is shipped: a real process on a loopback port, from the fork to the orderly end."""

import contextlib
import http.client
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from extender.serving import Listening, Server
from tests.extender.small_server import Traced
from tests.sources.waiting import eventually

ROOT = Path(__file__).parents[2]
TLS = ROOT / "tests" / "sources" / "tls"
REFUSED = (ssl.SSLError, ConnectionError, http.client.RemoteDisconnected)
CLIENT_TLS = Path(__file__).parent / "tls"
CERTIFICATE, KEY, CA = TLS / "server.pem", TLS / "server-key.pem", TLS / "ca.pem"


class Process:
    """One server process and the traces that it leaves."""

    def __init__(self, folder: Path, *files: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        program = Path(__file__).with_name("small_server.py")
        arguments = [str(self.port), str(folder), *map(str, files)]
        self._process = subprocess.Popen(
            [sys.executable, str(program), *arguments], cwd=ROOT, env={"PYTHONPATH": str(ROOT)}
        )
        eventually(lambda: self.left("started") and _is_open(self.port))

    def left(self, step: str) -> bool:
        """Tell whether a step of the application's life was reached."""
        return (self.folder / step).exists()

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._process.send_signal(signal.SIGTERM)

    def wait(self) -> int:
        """Wait for the end and return the exit code."""
        return self._process.wait(timeout=20)

    def kill(self) -> None:
        """End it in any case."""
        self._process.kill()
        self._process.wait()


class Start(Protocol):
    """Starts a server; it is ended after the test."""

    def __call__(self, *files: Path) -> Process:
        """Start one."""
        ...


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts a server."""
    started: list[Process] = []

    def run(*files: Path) -> Process:
        started.append(Process(tmp_path, *files))
        return started[-1]

    yield run
    for process in started:
        process.kill()


def test_a_connection_is_kept_open_between_calls(start: Start) -> None:
    with _plain_client(start().port) as client:
        answers = [_ask(client, "/a"), _ask(client, "/b")]

    assert answers == [("/a", False), ("/b", False)]


def test_sigterm_drains_answers_what_is_under_way_and_ends_in_time(start: Start) -> None:
    server = start()
    began = time.monotonic()
    slow: list[tuple[str, bool]] = []

    with _plain_client(server.port) as first, _plain_client(server.port) as second:
        _ask(first, "/before"), _ask(second, "/before")
        server.terminate()
        eventually(lambda: server.left("drained"))
        while_draining = _ask(first, "/during")
        time.sleep(1.5)  # of the three seconds of draining
        asking = threading.Thread(target=lambda: slow.append(_ask(second, "/slow")))
        asking.start()
        asking.join()
        last = _ask(first, "/last")

    assert while_draining == ("/during", False)
    assert slow == [("/slow", False)]  # begun before the end of draining, finished after it
    assert last == ("/last", True)
    assert server.wait() == 0
    assert server.left("stopped")
    assert time.monotonic() - began < 20


def test_tls_wants_a_client_certificate_of_the_right_authority(start: Start) -> None:
    server = start(CERTIFICATE, KEY, CLIENT_TLS / "client-ca.pem")

    with _tls_client(server.port) as stranger, pytest.raises(REFUSED):
        _ask(stranger, "/a")
    with _tls_client(server.port, certificate=(CLIENT_TLS / "client.pem", CLIENT_TLS / "client-key.pem")) as client:
        assert _ask(client, "/a") == ("/a", False)


def test_a_rotated_certificate_is_used_without_a_restart(start: Start, tmp_path: Path) -> None:
    certificate = tmp_path / "tls.crt"
    shutil.copy(CERTIFICATE, certificate)
    server = start(certificate, KEY)
    with _tls_client(server.port) as before:
        assert _ask(before, "/a") == ("/a", False)

    certificate.write_text("in the middle of being written")
    with _tls_client(server.port) as meanwhile, pytest.raises(REFUSED):
        _ask(meanwhile, "/a")
    shutil.copy(CERTIFICATE, certificate)

    with _tls_client(server.port) as after:
        assert _ask(after, "/a") == ("/a", False)


def test_a_service_that_cannot_begin_ends_the_process_with_the_code_of_an_internal_error(tmp_path: Path) -> None:
    (tmp_path / "fail").touch()
    program = Path(__file__).with_name("small_server.py")

    done = subprocess.run(
        [sys.executable, str(program), str(_free_port()), str(tmp_path)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )

    assert done.returncode == 1
    assert "RuntimeError: told to fail" in done.stderr


@pytest.mark.parametrize(
    "said",
    [b"", b"POST /v1/fil", b"POST /v1/filter HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"],
    ids=["nothing", "half a head", "half a body"],
)
def test_clients_that_stall_keep_nobody_else_from_an_answer(start: Start, said: bytes) -> None:
    server = start()
    with contextlib.ExitStack() as open_sockets:
        for _ in range(Listening().threads + 1):
            stalled = open_sockets.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            stalled.sendall(said)
        began = time.monotonic()
        client = open_sockets.enter_context(_plain_client(server.port, timeout=20))

        assert _ask(client, "/a") == ("/a", False)

    # Silence costs no thread; half a request costs one until the server hangs up.
    assert time.monotonic() - began < (12 if said else 4)


def test_a_connection_that_says_nothing_does_not_hold_up_the_end(start: Start) -> None:
    server = start()
    with socket.create_connection(("127.0.0.1", server.port)):
        began = time.monotonic()
        server.terminate()

        assert server.wait() == 0

    assert server.left("stopped")
    assert time.monotonic() - began < 9


def test_a_tls_client_that_stalls_is_hung_up_on(start: Start) -> None:
    server = start(CERTIFICATE, KEY)
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as stalled:
        stalled.sendall(b"\x16\x03\x01")  # a handshake's first bytes

        assert not stalled.recv(1)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_loopback_needs_no_certificate(host: str) -> None:
    assert Listening(host=host).certificate is None


@pytest.mark.parametrize("host", ["192.0.2.1", "10.0.0.7", "extender.example"])
def test_any_other_address_needs_one(host: str) -> None:
    with pytest.raises(ValueError, match=f"listening on {host} without a certificate"):
        Listening(host=host)

    assert Listening(host=host, certificate=CERTIFICATE, key=KEY).host == host


@pytest.mark.parametrize("files", [{"certificate": CERTIFICATE}, {"key": KEY}, {"client_ca": CA}])
def test_half_a_tls_set_up_is_refused(files: dict[str, Path]) -> None:
    with pytest.raises(ValueError, match="needs its key"):
        Listening(**files)  # type: ignore[arg-type]  # mypy cannot tell the keys


def test_files_that_no_connection_could_be_made_with_are_refused(tmp_path: Path) -> None:
    garbage = tmp_path / "garbage.pem"
    garbage.write_text("no PEM")

    with pytest.raises(
        ValueError, match=r"server\.pem and .*client-key\.pem: .*; allowed is a PEM certificate and its"
    ):
        Listening(certificate=CERTIFICATE, key=CLIENT_TLS / "client-key.pem")
    with pytest.raises(ValueError, match=r"garbage\.pem and .*server-key\.pem: "):
        Listening(certificate=garbage, key=KEY)
    with pytest.raises(ValueError, match=r"garbage\.pem: .*; allowed are PEM certificates"):
        Listening(certificate=CERTIFICATE, key=KEY, client_ca=garbage)


def test_a_rotation_to_garbage_is_told_until_it_is_mended(tmp_path: Path) -> None:
    certificate = tmp_path / "tls.crt"
    shutil.copy(CERTIFICATE, certificate)
    listening = Listening(certificate=certificate, key=KEY)
    assert listening.tls_trouble() == Listening().tls_trouble() == ""

    certificate.write_text("in the middle of being written")
    assert f"{certificate} and {KEY}: " in listening.tls_trouble()

    shutil.copy(CERTIFICATE, certificate)
    assert listening.tls_trouble() == ""


def _ask(client: http.client.HTTPConnection, path: str) -> tuple[str, bool]:
    """Return the answer, and whether the server closes the connection after it."""
    client.request("POST", path, body=b"{}")
    response = client.getresponse()
    return response.read().decode(), response.will_close


def _plain_client(port: int, *, timeout: float = 5) -> contextlib.closing[http.client.HTTPConnection]:
    return contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=timeout))


def _tls_client(
    port: int, *, certificate: tuple[Path, Path] | None = None
) -> contextlib.closing[http.client.HTTPSConnection]:
    context = ssl.create_default_context(cafile=str(CA))
    if certificate is not None:
        context.load_cert_chain(*certificate)
    return contextlib.closing(http.client.HTTPSConnection("127.0.0.1", port, timeout=5, context=context))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_what_is_served_is_made_after_the_fork_and_told_of_the_end(tmp_path: Path) -> None:
    made: list[Traced] = []

    def make() -> Traced:
        made.append(Traced(tmp_path))
        return made[-1]

    server = Server(Listening(certificate=CERTIFICATE, key=KEY, client_ca=CA, host="::1"), make)
    server.drain()
    assert not made

    application = server.load()
    server.drain()
    server._end()

    assert application == made[0].app
    assert {path.name for path in tmp_path.iterdir()} == {"made", "started", "drained", "stopped"}
    assert server.cfg.settings["bind"].get() == ["[::1]:8888"]
    assert server.cfg.settings["cert_reqs"].get() == ssl.CERT_REQUIRED
    assert server.cfg.settings["workers"].get() == 1
