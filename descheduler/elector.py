"""Who may act: a leader Lease, judged by this process's monotonic clock only.

Another holder is taken for dead when its Lease object has not changed for `duration` on *our* clock: its renewTime was
written by a clock that may be wrong, so it proves nothing. We stop counting as leader `deadline` after the *start* of
our last successful renewal, before anybody else can take over. Nothing here evicts.
"""

import logging
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sources.clocks import Clock
from sources.kube import errors
from sources.kube.api import KubeApi

_LOG: Final = logging.getLogger(__name__)
_GROUP: Final = "/apis/coordination.k8s.io/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The Lease's name and times in seconds.

    `duration` is how long others leave an unchanged Lease alone; `deadline` how long we act on one renewal;
    `retry` the pace of renewing and of asking again.
    """

    namespace: str
    holder: str
    name: str = "bayplan-descheduler"
    duration: float = 15.0
    deadline: float = 10.0
    retry: float = 2.0

    def __post_init__(self) -> None:
        if not 0 < self.retry < self.deadline < self.duration:
            raise ValueError(
                f"lease times {self.retry} s, {self.deadline} s, {self.duration} s: "
                "allowed is 0 < retry < deadline < duration"
            )


@dataclass(frozen=True, slots=True)
class _Seen:
    """Another holder's Lease: its content as last seen, and since when (monotonic) it has not changed."""

    version: str
    holder: str
    since: float


class Elector:
    """Takes, renews and frees the Lease. `step` is driven by one thread; `leads` may be asked by any."""

    def __init__(self, api: KubeApi, terms: Terms, *, clock: Clock, seed: int = 0) -> None:
        self.terms = terms
        self._api = api
        self._clock = clock
        self._rng = random.Random(seed)  # noqa: S311  # spreads retries, keeps no secret
        self._renewed: float | None = None
        self._seen: _Seen | None = None
        self._alive = False
        self.trouble: errors.ApiError | None = None  # what kept the last try from succeeding
        self._writing = threading.Lock()
        self._closed = False

    def leads(self) -> bool:
        """Tell whether this process may act now: it renewed less than `deadline` ago, counted from the call's start."""
        renewed = self._renewed
        return renewed is not None and self._clock.monotonic() - renewed < self.terms.deadline

    @property
    def other(self) -> str | None:
        """The holder that was last seen, None if it was nobody or ourselves."""
        return None if self._seen is None else self._seen.holder

    def step(self) -> bool:
        """Take or renew the Lease once; True while we lead. An API error changes nothing: the deadline decides."""
        with self._writing:
            if self._closed:
                return False
            before = self.leads()
            try:
                self._try()
            except errors.ApiError as error:
                if str(error) != str(self.trouble):
                    _LOG.warning("the lease %s could not be renewed: %s", self.terms.name, error)
                self.trouble = error
            else:
                self.trouble = None
            after = self.leads()
        if before is not after:
            _LOG.info("leadership %s", "taken" if after else "lost", extra={"lease": self.terms.name})
        return after

    def run(self, stop: threading.Event) -> None:
        """Keep taking and renewing until `stop`; to be run under supervise()."""
        while not stop.is_set():
            self.step()
            stop.wait(self._pace())

    def take(self, pause: Callable[[float], bool]) -> bool:
        """Try until we lead or another holder is proven alive; what `--once` does. `pause` returns True to give up.

        A Lease that nobody changes for `duration` belonged to a process that died: waiting that long is part of it.
        An API that does not let us try is waited for as long.
        """
        began = self._clock.monotonic()
        while not self.step():
            tried_enough = self.trouble is not None and self._clock.monotonic() - began >= self.terms.duration
            if self._alive or tried_enough or pause(self._pace()):
                return False
        return True

    def release(self) -> None:
        """Give the Lease up, so that the next leader need not wait; afterwards this elector never leads again."""
        with self._writing:
            self._closed = True
            led, self._renewed = self._renewed is not None, None
            if not led:
                return
            try:
                lease = self._read()
                if lease is not None and self._is_ours(lease):
                    self._write(lease, holder="")
            except errors.ApiError as error:
                _LOG.warning("the lease %s could not be freed and will run out: %s", self.terms.name, error)

    def _pace(self) -> float:
        return self.terms.retry * (1.0 + 0.2 * self._rng.random())

    def _try(self) -> None:
        started = self._clock.monotonic()
        lease = self._read()
        if lease is None and self._may_still_act():
            self._renewed = None
            return
        if lease is None:
            self._create()
        elif self._is_ours(lease) or self._is_free(lease):
            self._write(lease, holder=self.terms.holder)
        else:
            self._renewed = None
            return
        self._renewed, self._seen = started, None

    def _is_ours(self, lease: Mapping[str, Any]) -> bool:
        return bool(lease.get("spec", {}).get("holderIdentity") == self.terms.holder)

    def _may_still_act(self) -> bool:
        """Tell whether the holder of a Lease that somebody deleted may not have noticed yet."""
        return self._seen is not None and self._clock.monotonic() - self._seen.since < self.terms.duration

    def _is_free(self, lease: Mapping[str, Any]) -> bool:
        holder = lease.get("spec", {}).get("holderIdentity") or ""
        if not holder:
            return True
        version, now = str(lease["metadata"].get("resourceVersion", "")), self._clock.monotonic()
        if self._seen is None or self._seen.version != version:
            self._alive = self._seen is not None
            self._seen = _Seen(version, holder, now)
        # The other side's own duration counts where it is longer than ours.
        rests = max(self.terms.duration, float(lease["spec"].get("leaseDurationSeconds") or 0))
        return now - self._seen.since >= rests

    def _read(self) -> dict[str, Any] | None:
        path = f"{_GROUP}/namespaces/{self.terms.namespace}/leases/{self.terms.name}"
        try:
            return self._api.request("GET", path, timeout=self.terms.retry).body
        except errors.NotFound:
            return None

    def _create(self) -> None:
        terms = self.terms
        body = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"namespace": terms.namespace, "name": terms.name},
            "spec": self._spec({}, holder=terms.holder),
        }
        path = f"{_GROUP}/namespaces/{terms.namespace}/leases"
        self._api.request("POST", path, body=body, timeout=terms.retry)

    def _write(self, lease: Mapping[str, Any], *, holder: str) -> None:
        body = dict(lease) | {"spec": self._spec(lease.get("spec", {}), holder=holder)}
        path = f"{_GROUP}/namespaces/{self.terms.namespace}/leases/{self.terms.name}"
        self._api.request("PUT", path, body=body, timeout=self.terms.retry)

    def _spec(self, old: Mapping[str, Any], *, holder: str) -> dict[str, Any]:
        now = datetime.fromtimestamp(self._clock.now(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        changes = old.get("holderIdentity") != holder
        return dict(old) | {
            "holderIdentity": holder,
            "leaseDurationSeconds": int(self.terms.duration),
            "renewTime": now,
            "acquireTime": now if changes else old.get("acquireTime", now),
            "leaseTransitions": int(old.get("leaseTransitions") or 0) + int(changes),
        }
