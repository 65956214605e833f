"""This replica's own Lease, renewed every 2 s: who counts the replicas sees it change; it elects nobody.

It also says, in annotations, which plan this replica obeys and which it dropped; at once when that changes.
"""

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from sources.clocks import Clock
from sources.kube.api import Answer, KubeApi
from sources.kube.decoding.times import rfc3339
from sources.kube.errors import ApiError, NotFound, ServerError, Unanswered

_LOG = logging.getLogger(__name__)
RENEW_EVERY: Final = 2.0
# A replica whose Lease did not change for so long does not count as one.
LIVES_FOR: Final = 6.0
_MERGE: Final = "application/merge-patch+json"
_LOOK_EVERY: Final = 0.02


@dataclass(frozen=True, slots=True)
class Replica:
    """A replica of the extender by its pod's (or host's) name."""

    namespace: str
    name: str

    @property
    def lease(self) -> str:
        """Return the name of its Lease."""
        return f"bayplan-extender-{self.name}"


class Word(Protocol):
    """What a Lease says besides that its replica lives."""

    def words(self) -> Mapping[str, str | None]:
        """Return the annotations to write; None takes one away."""
        ...

    def told(self, words: Mapping[str, str | None], lease: Mapping[str, str], /, *, at: float) -> None:
        """Note what was written, or may have been, and all annotations that the Lease has now, as far as known.

        `at` (monotonic) is when it was sent: others may have read it from then on.
        """
        ...


class ReplicaLease:
    """Keeps one Lease. What keeps it from being renewed is in `trouble`; it is tried again at the same pace."""

    def __init__(self, api: KubeApi, replica: Replica, *, clock: Clock, word: Word) -> None:
        self._api = api
        self._replica = replica
        self._clock = clock
        self._word = word
        self._written: Mapping[str, str | None] = {}
        self._renewed: float | None = None
        self.trouble = ""

    @property
    def fresh(self) -> bool:
        """Whether it was renewed so lately that others count this replica."""
        return self._renewed is not None and self._clock.monotonic() - self._renewed < LIVES_FOR

    def run(self, stop: threading.Event) -> None:
        """Renew until told to stop, then give the Lease up."""
        while not stop.is_set():
            self._try_to_renew()
            tried = self._clock.monotonic()
            while not stop.wait(_LOOK_EVERY) and not self._due(tried):
                pass
        self.give_up()

    def _due(self, tried: float) -> bool:
        """Tell whether it is time to renew, or there is something new to say; after trouble, at the usual pace."""
        if self._clock.monotonic() - tried >= RENEW_EVERY:
            return True
        return not self.trouble and self._word.words() != self._written

    def _try_to_renew(self) -> None:
        try:
            self.renew()
        except ApiError as problem:
            words = f"the Lease {self._replica.lease} cannot be renewed: {problem}"
            if words != self.trouble:
                _LOG.warning("%s", words)
            self.trouble = words
        else:
            self.trouble = ""

    def renew(self) -> None:
        """Renew the Lease, or make it.

        Raises:
            ApiError: what kept it from being written.
        """
        began = self._clock.monotonic()
        spec = {
            "holderIdentity": self._replica.name,
            "leaseDurationSeconds": int(LIVES_FOR),
            "renewTime": rfc3339(self._clock.now()),
        }
        words = self._word.words()
        try:
            answer = self._write(spec, words)
        except (Unanswered, ServerError):
            self._word.told(words, {}, at=began)
            raise
        self._renewed = began
        self._written = words
        self._word.told(words, answer.body["metadata"].get("annotations") or {}, at=began)

    def give_up(self) -> None:
        """Delete the Lease, so that nobody waits for this replica; one that stays behind does not count for long."""
        self._renewed = None
        try:
            self._api.request("DELETE", self._path(named=True), timeout=2.0)
        except ApiError:
            return

    def _write(self, spec: dict[str, Any], words: Mapping[str, str | None]) -> Answer:
        body = {"metadata": {"annotations": words}, "spec": spec}
        try:
            return self._api.request("PATCH", self._path(named=True), body=body, content_type=_MERGE, timeout=2.0)
        except NotFound:
            return self._api.request("POST", self._path(named=False), body=self._new(spec, words), timeout=2.0)

    def _new(self, spec: dict[str, Any], words: Mapping[str, str | None]) -> dict[str, Any]:
        metadata: dict[str, Any] = {
            "annotations": {name: word for name, word in words.items() if word is not None},
            "name": self._replica.lease,
            "namespace": self._replica.namespace,
            "labels": {"app.kubernetes.io/name": "bayplan", "app.kubernetes.io/component": "extender"},
        }
        owner = self._owner()
        if owner is not None:
            metadata["ownerReferences"] = [owner]
        return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}

    def _owner(self) -> dict[str, Any] | None:
        """Return a reference to our own pod, with which the Lease of a replica that died goes too."""
        path = f"/api/v1/namespaces/{self._replica.namespace}/pods/{self._replica.name}"
        try:
            pod = self._api.request("GET", path, timeout=2.0).body
        except ApiError:
            return None
        return {"apiVersion": "v1", "kind": "Pod", "name": self._replica.name, "uid": pod["metadata"]["uid"]}

    def _path(self, *, named: bool) -> str:
        base = f"/apis/coordination.k8s.io/v1/namespaces/{self._replica.namespace}/leases"
        return f"{base}/{self._replica.lease}" if named else base
