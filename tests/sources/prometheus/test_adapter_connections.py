"""Addresses, certificates and credentials of the adapter."""

import base64
from pathlib import Path

import pytest

from policies.model.prometheus import BasicAuth
from sources.prometheus.errors import SourceUnreachable
from tests.sources.http_fake import TLS, HttpFake, Reply
from tests.sources.prometheus.answers import AT, INSTANT, Opening, one, success


def test_fc_060_address_without_a_scheme(server: HttpFake, opening: Opening) -> None:
    server.script(INSTANT, Reply(body=success(one())))

    assert opening(url=server.url.removeprefix("http://")).instant("up", AT)
    assert opening(url=server.url + "/").instant("up", AT)


def test_address_may_have_a_path(server: HttpFake, opening: Opening) -> None:
    server.script("/prometheus/api/v1/query", Reply(body=success(one())))

    assert opening(url=server.url + "/prometheus/").instant("up", AT)


def test_fc_050_https_with_its_own_authority(tls_server: HttpFake, opening: Opening) -> None:
    tls_server.script(INSTANT, Reply(body=success(one())))

    assert opening(url=tls_server.url, ca_file=str(TLS / "ca.pem")).instant("up", AT)


@pytest.mark.parametrize("authority", [None, str(TLS / "other-ca.pem")], ids=["the system's", "another"])
def test_certificate_that_nobody_we_trust_signed_sends_nothing(
    tls_server: HttpFake, opening: Opening, authority: str | None
) -> None:
    with pytest.raises(SourceUnreachable, match="certificate verify failed"):
        opening(url=tls_server.url, ca_file=authority).instant("up", AT)

    assert tls_server.asked == []


def test_authority_file_that_is_missing_is_told(tls_server: HttpFake, opening: Opening) -> None:
    with pytest.raises(SourceUnreachable, match=r"nowhere\.pem"):
        opening(url=tls_server.url, ca_file="/nowhere.pem").instant("up", AT)


def test_checks_are_switched_off_only_when_told_and_not_in_silence(
    tls_server: HttpFake, opening: Opening, caplog: pytest.LogCaptureFixture
) -> None:
    tls_server.script(INSTANT, Reply(body=success(one())))

    assert opening(url=tls_server.url, insecure_skip_verify=True).instant("up", AT)
    assert "are not checked" in caplog.text


def test_rotated_token_is_used_from_the_next_query_on(server: HttpFake, opening: Opening, tmp_path: Path) -> None:
    server.script(INSTANT, Reply(body=success()))
    token = tmp_path / "token"
    source = opening(url=server.url, bearer_token_file=str(token))

    with pytest.raises(SourceUnreachable, match=f"cannot read the credentials in {token}"):
        source.instant("up", AT)
    for content in ("first\n", "second"):
        token.write_text(content)
        source.instant("up", AT)
    token.write_text(" ")
    with pytest.raises(SourceUnreachable, match="are empty"):
        source.instant("up", AT)

    assert [asked.headers["Authorization"] for asked in server.asked] == ["Bearer first", "Bearer second"]


def test_basic_auth_and_headers_are_sent(server: HttpFake, opening: Opening, tmp_path: Path) -> None:
    server.script(INSTANT, Reply(body=success()))
    (tmp_path / "password").write_text("s3cret\n")
    auth = BasicAuth(username="bay", password_file=str(tmp_path / "password"))

    opening(url=server.url, basic_auth=auth, headers={"X-Scope-OrgID": "team-a"}).instant("up", AT)

    sent = server.asked[0].headers
    assert base64.b64decode(sent["Authorization"].removeprefix("Basic ")) == b"bay:s3cret"
    assert sent["X-Scope-OrgID"] == "team-a"


def test_environment_has_no_say(server: HttpFake, opening: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    server.script(INSTANT, Reply(body=success()))

    assert opening(url=server.url).instant("up", AT) == []
