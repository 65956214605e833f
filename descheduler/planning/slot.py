"""The slot: takes, renews and frees the one object that names the plan in force; decides nothing about plans.

Every write goes through one lock and names the version that was read, so two processes can never both believe that
theirs is the plan in force. `renewed_for` is what an eviction asks: it counts from the start of a renewal that the API
server confirmed.
"""

import logging
import math
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from policies.values.plans import Plan, PlanSlot
from sources.clocks import Clock
from sources.kube import errors
from sources.kube import plans as codec
from sources.kube.api import KubeApi

_LOG: Final = logging.getLogger(__name__)
RENEW_EVERY: Final = 2.0
_CALL_SECONDS: Final = 2.0


class SlotTaken(Exception):  # noqa: N818  # it says what is so
    """Another process's plan is in the slot."""


class SlotKeeper:
    """The slot of one namespace on behalf of one process (`holder`). Safe to use from several threads."""

    def __init__(self, api: KubeApi, *, namespace: str, holder: str, clock: Clock) -> None:
        self.holder = holder
        self._api = api
        self._namespace = namespace
        self._clock = clock
        self._lock = threading.Lock()
        self._held: PlanSlot | None = None
        self._lost = ""
        self._renewed = -math.inf

    @property
    def held(self) -> PlanSlot | None:
        """The slot as we last wrote it, None while no plan of ours is in it."""
        return self._held

    @property
    def lost(self) -> str:
        """Why the plan that we put into the slot is not in it any more, in words; empty where we took it out."""
        return self._lost

    def renewed_for(self) -> float:
        """Return the seconds since the start of our last confirmed write, infinite while we do not hold the slot."""
        return math.inf if self._held is None else self._clock.monotonic() - self._renewed

    def read(self) -> PlanSlot:
        """Return the slot as it stands; one that does not exist is empty.

        Raises:
            ApiError: it cannot be read, or the server does not know of slots (yet).
        """
        try:
            path = codec.slots_path(self._namespace, codec.SLOT_NAME)
            return codec.decode_slot(self._api.request("GET", path, timeout=_CALL_SECONDS).body)
        except errors.NotFound as error:
            if not error.names(codec.SLOT_NAME):
                raise
            return PlanSlot()

    def take(self, plan: Plan) -> None:
        """Put a plan into the slot, unless somebody else's is in it; what we left there ourselves is over.

        Raises:
            SlotTaken: the plan of another process is in it.
            ApiError: it may have been written or not; `free` puts that right.
        """
        with self._lock:
            seen = self.read()
            if seen.plan is not None and seen.holder != self.holder:
                raise SlotTaken(f"the slot holds the plan {seen.plan} of {seen.holder}")
            self._put(replace(seen, plan=plan.name, plan_uid=plan.uid, revision=plan.revision, holder=self.holder))

    def renew(self) -> bool:
        """Renew the slot if it is ours; False where it is not, or where nobody can tell."""
        with self._lock:
            held = self._held
            if held is None:
                return False
            try:
                self._renew(held)
            except errors.ApiError as error:
                _LOG.warning("the slot could not be renewed: %s", error)
                return False
            return self._held is not None

    def look(self) -> None:
        """Read whether the slot still names our plan; a server that does not answer changes nothing."""
        with self._lock:
            if self._held is None:
                return
            try:
                seen = self.read()
            except errors.ApiError as error:
                _LOG.warning("the slot could not be read: %s", error)
                return
            if not self._is_ours(seen):
                self._lose(seen)

    def free(self) -> bool:
        """Empty the slot if a plan of ours is in it; False where nobody can tell."""
        with self._lock:
            self._held, self._lost = None, ""
            try:
                seen = self.read()
                if seen.plan is not None and seen.holder == self.holder:
                    self._put(_emptied(seen))
                    self._held = None
            except errors.ApiError as error:
                _LOG.warning("the slot could not be freed and will run out: %s", error)
                return False
        return True

    def clear(self, *, leads: Callable[[], bool]) -> PlanSlot:
        """Empty the slot whoever holds it, which only a leader without a plan may do; return what was in it.

        `leads` is asked once more after the read: in between, another leader may have put its own plan there.

        Raises:
            ApiError: it is as it was, or nobody can tell.
        """
        with self._lock:
            seen = self.read()
            if seen.plan is not None and leads():
                self._put(_emptied(seen))
            self._held = None
        return seen

    def run(self, stop: threading.Event) -> None:
        """Renew what is held every two seconds until `stop`; to be run under supervise()."""
        while not stop.wait(RENEW_EVERY):
            self.renew()

    def _renew(self, held: PlanSlot) -> None:
        try:
            self._put(held)
        except (errors.Conflict, errors.NotFound):
            # The answer to our own last write was lost, or somebody else wrote or deleted the slot.
            seen = self.read()
            if self._is_ours(seen):
                self._put(seen)
            else:
                self._lose(seen)

    def _is_ours(self, seen: PlanSlot) -> bool:
        held = self._held
        return held is not None and (seen.plan_uid, seen.revision, seen.holder) == (
            held.plan_uid,
            held.revision,
            self.holder,
        )

    def _lose(self, seen: PlanSlot) -> None:
        self._held, self._lost = None, _words(seen)
        _LOG.warning("the plan in force is over: %s", self._lost)

    def _put(self, wanted: PlanSlot) -> None:
        began = self._clock.monotonic()
        body = codec.encode_slot(replace(wanted, renewal=wanted.renewal + 1), self._namespace)
        if wanted.resource_version:
            path, method = codec.slots_path(self._namespace, codec.SLOT_NAME), "PUT"
        else:
            path, method = codec.slots_path(self._namespace), "POST"
        written = self._api.request(method, path, body=body, timeout=_CALL_SECONDS).body
        self._held, self._lost, self._renewed = codec.decode_slot(written), "", began


def _words(seen: PlanSlot) -> str:
    """Say what became of a slot that was ours."""
    if not seen.resource_version:
        return "the slot was deleted"
    if seen.plan is None:
        return "somebody else emptied the slot"
    return f"the slot names the plan {seen.plan}, revision {seen.revision}, of {seen.holder or 'nobody'}"


def _emptied(slot: PlanSlot) -> PlanSlot:
    return replace(slot, plan=None, plan_uid="", revision=0, holder="")
