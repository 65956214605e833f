"""How to reach Prometheus; knows nothing of what is asked there."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from pydantic import Field

from policies.model.fields import FilePath, Flag, HeaderName, HeaderValue, Seconds, Url
from policies.model.sections import Remark, Section


class BasicAuth(Section):
    """User name and a file with the password."""

    username: str = Field(description="The user name.", examples=["bayplan"], min_length=1)
    password_file: FilePath = Field(
        description="A file that holds nothing but the password; it is read again when it changes. The password itself "
        "never stands in the policy, as policies are shown and logged.",
        examples=["/etc/bayplan/password"],
    )


class Prometheus(Section):
    """The Prometheus HTTP API: its address, and how to prove who asks."""

    url: Url = Field(
        default="http://prometheus:9090",
        description="Where the Prometheus HTTP API answers: http or https, or host:port, which means http. Default: a "
        "Service called `prometheus` in Bayplan's own namespace, the name most installations use.",
    )
    timeout: Seconds = Field(
        default=5.0,
        gt=0,
        description="How long one query may take in all, from connecting to the last byte; no retry extends it. "
        "Default 5s: a third of the default `step`, so that a slow answer ends before the next poll begins.",
    )
    bearer_token_file: FilePath | None = Field(
        default=None,
        description="A file with a bearer token, read again when it changes. Default: no token, as an in-cluster "
        "Prometheus usually asks for none.",
    )
    ca_file: FilePath | None = Field(
        default=None,
        description="A file with the certificates (PEM) that may have signed Prometheus' own. Default: the system's.",
    )
    insecure_skip_verify: Flag = Field(
        default=False,
        description="Whether any certificate is accepted. Default: false; whoever can pose as Prometheus can have pods "
        "evicted.",
    )
    basic_auth: BasicAuth | None = Field(
        default=None,
        description="User name and password. Default: none, as an in-cluster Prometheus usually asks for none.",
    )
    headers: dict[HeaderName, HeaderValue] = Field(
        default_factory=dict,
        description="Headers sent with every query, such as X-Scope-OrgID for a tenant. Not for secrets. Default: "
        "none.",
    )

    @property
    def namespace(self) -> str | None:
        """Return the namespace of the Service that the address names (`name.namespace` or `name.namespace.svc…`).

        None where it names no other namespace: a bare name is looked up in Bayplan's own, anything else is elsewhere.
        """
        host = urlsplit(self.url if "://" in self.url else f"http://{self.url}").hostname or ""
        _name, *rest = host.split(".")
        return rest[0] if rest and (len(rest) == 1 or rest[1] == "svc") else None

    def conflicts(self) -> Iterator[Remark]:
        """Refuse two ways of proving who asks, and secrets in headers."""
        if self.bearer_token_file is not None and self.basic_auth is not None:
            yield Remark(
                at=("basicAuth",),
                message="seen together with bearerTokenFile; allowed is one of the two",
                about=(("basicAuth",), ("bearerTokenFile",)),
            )
        for name in self.headers:
            if name.lower() in {"authorization", "cookie"}:
                yield Remark(
                    at=("headers", name),
                    message="a secret would stand in the policy; allowed is bearerTokenFile or basicAuth",
                )

    def warnings(self) -> Iterator[Remark]:
        """Name certificate settings that weaken or do nothing."""
        if self.insecure_skip_verify:
            yield Remark(
                at=("insecureSkipVerify",),
                message="certificates are not checked: whoever can pose as Prometheus can have pods evicted",
            )
        if self.url.startswith("http://"):
            for key, given in (("caFile", self.ca_file), ("insecureSkipVerify", self.insecure_skip_verify)):
                if given:
                    yield Remark(at=(key,), message=f"without effect: {self.url} is plain http")
