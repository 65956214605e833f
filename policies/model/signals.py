"""Where values come from and how each contended resource is measured."""

from typing import Literal

from pydantic import Field

from policies.model.fields import Seconds, Section, Share


class BasicAuth(Section):
    """User name and a file with the password, read again when it changes."""

    username: str
    password_file: str


class Prometheus(Section):
    """How to reach Prometheus."""

    url: str = "http://prometheus:9090"
    timeout: Seconds = 5.0
    bearer_token_file: str | None = None
    ca_file: str | None = None
    insecure_skip_verify: bool = False
    basic_auth: BasicAuth | None = None
    headers: dict[str, str] = Field(default_factory=dict)


class ResourceSignal(Section):
    """How one contended resource is measured. Every query is PromQL; `age` gives seconds since the newest sample."""

    node: str
    pressure: str | None = None
    gate: float = 0.7
    pod: str | None = None
    pod_per: Literal["allocatable", "one"] = "one"
    workload: str | None = None
    age: str | None = None
    pod_age: str | None = None
    zero: float = 0.0
    full: float = 1.0
    rate_window: Seconds = 60.0
    additive: bool = False


class Signals(Section):
    """The source of all values, their pace, and the contended resources by name."""

    source: Literal["prometheus", "metrics-server"] = "prometheus"
    prometheus: Prometheus = Field(default_factory=Prometheus)
    step: Seconds = 15.0
    stale_after: Seconds = 60.0
    min_coverage: Share = 0.8
    node_label: tuple[str, ...] = ("node", "instance", "kubernetes_node")
    resources: dict[str, ResourceSignal] = Field(default_factory=dict)
