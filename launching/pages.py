"""What a service shows on its second listener: readiness, metrics, explanations; judges nothing."""

from typing import Any

import requests
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

_PATIENCE = 10.0


class Pages:
    """The pages of one service at a URL such as `http://127.0.0.1:8889`; a connection that is to be closed."""

    def __init__(self, admin: str) -> None:
        self.admin = admin
        self._session = requests.Session()
        self._session.trust_env = False

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    def readyz(self) -> dict[str, Any]:
        """Return what it says of its readiness, whatever the status."""
        return self._json("/readyz")

    def explain(self, pod: str) -> dict[str, Any]:
        """Return what an extender would answer for a pod (`namespace/name`), whatever the status."""
        return self._json("/explain", pod=pod)

    def nodes(self, pod: str) -> dict[str, dict[str, Any]]:
        """Return what an extender would answer for a pod, by node; empty where it cannot say."""
        return {entry["node"]: entry for entry in self.explain(pod).get("nodes", ())}

    def metric(self, name: str, **labels: str) -> float:
        """Return the sum of the samples of this name that have these labels; 0 if there is none."""
        return sum(value for found, value in self.samples(name) if labels.items() <= found.items())

    def samples(self, name: str) -> list[tuple[dict[str, str], float]]:
        """Return labels and value of every sample of this name."""
        return [(one.labels, one.value) for one in self.scrape() if one.name == name]

    def scrape(self) -> list[Sample]:
        """Return every sample.

        Raises:
            requests.RequestException: nobody answers, or not with metrics.
        """
        answer = self._session.get(f"{self.admin}/metrics", timeout=_PATIENCE)
        answer.raise_for_status()
        return [one for family in text_string_to_metric_families(answer.text) for one in family.samples]

    def _json(self, path: str, **query: str) -> dict[str, Any]:
        answer: dict[str, Any] = self._session.get(self.admin + path, params=query, timeout=_PATIENCE).json()
        return answer
