"""What tests of the real client share: a kubeconfig for a server, and a path."""

from pathlib import Path
from typing import Any

import yaml

PODS = "/api/v1/pods"


def kubeconfig(folder: Path, url: str, *, cluster: dict[str, Any] | None = None, user: Any = None) -> Path:
    file = folder / "kubeconfig"
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": url} | (cluster or {})}],
        "users": [{"name": "u", "user": user or {}}],
    }
    file.write_text(yaml.safe_dump(content))
    return file
