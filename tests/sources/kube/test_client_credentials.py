"""Certificates, tokens, kubeconfigs and the pod's ServiceAccount, as the client uses or refuses them."""

from pathlib import Path

import pytest
from kubernetes.config import ConfigException

from sources.kube.client import connect
from sources.kube.errors import (
    Misconfigured,
    TimedOut,
    Unauthorized,
    Unreachable,
)
from tests.sources.http_fake import TLS, HttpFake, Reply
from tests.sources.kube.connections import PODS, kubeconfig


def test_certificate_of_an_unknown_authority_sends_nothing(tls_server: HttpFake, tmp_path: Path) -> None:
    other = {"certificate-authority": str(TLS / "other-ca.pem")}

    with pytest.raises(Unreachable, match="CERTIFICATE_VERIFY_FAILED"):
        connect(kubeconfig(tmp_path, tls_server.url, cluster=other)).request("GET", PODS)

    assert tls_server.asked == []


def test_https_with_its_own_authority(tls_server: HttpFake, tmp_path: Path) -> None:
    tls_server.script(PODS, Reply(body={"items": []}), Reply(body=b"y" * 1000, drip=0.02))
    kube = connect(kubeconfig(tmp_path, tls_server.url, cluster={"certificate-authority": str(TLS / "ca.pem")}))

    assert kube.request("GET", PODS).body == {"items": []}
    with pytest.raises(TimedOut):
        kube.request("GET", PODS, timeout=0.3)


def test_rotated_token_file_is_read_when_the_old_token_is_refused(server: HttpFake, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old")
    kube = connect(kubeconfig(tmp_path, server.url, user={"tokenFile": str(token)}))
    server.script(PODS, Reply(), Reply(status=401, body={"reason": "Unauthorized"}), Reply())

    kube.request("GET", PODS)
    token.write_text("new")
    kube.request("POST", PODS, body={})

    assert [asked.headers["Authorization"] for asked in server.asked] == ["Bearer old", "Bearer old", "Bearer new"]


def test_token_refused_twice_is_an_error(server: HttpFake, tmp_path: Path) -> None:
    server.script(PODS, Reply(status=401, body={"reason": "Unauthorized"}))

    with pytest.raises(Unauthorized):
        connect(kubeconfig(tmp_path, server.url, user={"token": "t"})).request("GET", PODS)

    assert len(server.asked) == 2


@pytest.mark.parametrize("text", ["", "a: [", "[]", "clusters: []\n", "a: 1"], ids=repr)
def test_unusable_kubeconfig_says_which_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config"
    file.write_text(text)

    with pytest.raises(Misconfigured, match=f"kubeconfig {file}: "):
        connect(file)


def test_missing_kubeconfig_is_told(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="nowhere"):
        connect(tmp_path / "nowhere")


def test_outside_a_pod_a_kubeconfig_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)

    with pytest.raises(Misconfigured, match="no --kubeconfig, BAYPLAN_KUBECONFIG or KUBECONFIG is given, and"):
        connect(None)


def test_service_account_is_used_inside_a_pod(
    server: HttpFake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"SERVICE_TOKEN_FILENAME": "token", "SERVICE_CERT_FILENAME": "ca.crt"}
    for constant, name in files.items():
        (tmp_path / name).write_text((TLS / "ca.pem").read_text() if name == "ca.crt" else "sa-token")
        monkeypatch.setattr(f"kubernetes.config.incluster_config.{constant}", str(tmp_path / name))
    host, port = server.url.removeprefix("http://").split(":")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)

    link = connect(None)._link

    assert link.host == f"https://{host}:{port}"
    assert link.call("GET", PODS, None).headers["Authorization"] == "bearer sa-token"
    (tmp_path / "token").write_text("")
    monkeypatch.setattr(link.configuration, "refresh_api_key_hook", _emptied)
    with pytest.raises(Misconfigured, match="token of https"):
        link.call("GET", PODS, None)


def _emptied(_: object) -> None:
    raise ConfigException("Token file exists but empty.")
