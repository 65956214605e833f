"""Process settings: how one process runs, never what it decides; that is the policy alone.

Each comes from its flag, else from its `BAYPLAN_*` variable, else from its default; `bayplan.options` reads them.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

DEFAULT_NAMESPACE: Final = "bayplan-system"
DEFAULT_POLICY: Final = Path("/etc/bayplan/policy.yaml")


class LogLevel(StrEnum):
    """How much is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    """For people or for programs."""

    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSettings:
    """What both services need to run.

    `kubeconfig` None means the credentials of the pod. `pod_name` and `node_name` are this process's own, None
    outside a cluster; `namespace` is where Bayplan's objects live.
    """

    kubeconfig: Path | None = None
    policy: Path = DEFAULT_POLICY
    log_level: LogLevel = LogLevel.INFO
    log_format: LogFormat = LogFormat.TEXT
    namespace: str = DEFAULT_NAMESPACE
    pod_name: str | None = None
    node_name: str | None = None
