"""The one door for evictions: the pod read just before, then pods/eviction with its UID as precondition.

Nothing else in Bayplan evicts, and nothing here decides, counts or writes records. The recording evictor is the same
path up to the call itself.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from descheduler import answers
from descheduler.answers import AnswerKind, EvictionAnswer
from policies.rails import vetoes
from policies.values.pods import Phase, Pod
from sources.kube import errors
from sources.kube.api import KubeApi

# A paused or slow call may still arrive after it has ended here; 2 s keeps that inside the lease's own margin.
CALL_SECONDS: Final = 2.0
READ_SECONDS: Final = 5.0
_NO_LONGER: Final = frozenset({AnswerKind.GONE, AnswerKind.REPLACED, AnswerKind.TERMINATING})


class Evictor(Protocol):
    """Evicts one pod, or records that it would have."""

    def evict(self, pod: Pod) -> EvictionAnswer:
        """Ask for the eviction of the pod with this UID; never raises, whatever happens is an answer."""
        ...


class ApiEvictor:
    """Evicts through the Eviction API, and only while `barred` does not say why this process may not act any more."""

    def __init__(self, api: KubeApi, *, barred: Callable[[], str | None]) -> None:
        self._api = api
        self._barred = barred

    def evict(self, pod: Pod) -> EvictionAnswer:
        """Read the pod, then evict it if it is still the one that was meant."""
        return look(self._api, pod) or self._too_late() or self._call(pod)

    def _too_late(self) -> EvictionAnswer | None:
        """Ask last of all: a read of seconds may have outlived the lease, and the call takes up to two more."""
        why = self._barred()
        return None if why is None else EvictionAnswer(AnswerKind.NOT_CALLED, f"{why}, seen once the pod was read")

    def _call(self, pod: Pod) -> EvictionAnswer:
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": pod.name, "namespace": pod.namespace},
            "deleteOptions": {"preconditions": {"uid": pod.uid}},
        }
        try:
            answer = self._api.request("POST", f"{pod_path(pod)}/eviction", body=body, timeout=CALL_SECONDS)
        except errors.ApiError as error:
            return answers.classify(error)
        return EvictionAnswer(AnswerKind.ACCEPTED, str(answer.status))


def barring(
    *, leads: Callable[[], bool], stopping: Callable[[], bool], outdated: Callable[[], bool]
) -> Callable[[], str | None]:
    """Return what bars single evictions to the last: the process ends, lost the lease, or has another policy by now."""

    def why() -> str | None:
        if stopping():
            return "the process is ending"
        if not leads():
            return "the lease was lost"
        return "another policy has come into force" if outdated() else None

    return why


class RecordingEvictor:
    """Does everything but the call, and keeps the pods it would have evicted (the newest cycle's worth of them)."""

    def __init__(self, api: KubeApi) -> None:
        self._api = api
        self.recorded: list[Pod] = []

    def evict(self, pod: Pod) -> EvictionAnswer:
        """Read the pod and note it."""
        seen = look(self._api, pod)
        if seen is not None:
            return seen
        self.recorded.append(pod)
        return EvictionAnswer(AnswerKind.OBSERVED)


def look(api: KubeApi, pod: Pod) -> EvictionAnswer | None:
    """Read the pod and return why it is not to be evicted any more, None while it is the one that was decided on.

    A call with an outdated UID is refused only after the budget was decremented, which costs a disruption: so look
    first. A pod that cannot be read is not evicted.
    """
    try:
        seen = api.request("GET", pod_path(pod), timeout=READ_SECONDS).body
    except errors.NotFound as error:
        return EvictionAnswer(AnswerKind.GONE, error.message)
    except errors.TooManyRequests as error:
        return EvictionAnswer(AnswerKind.THROTTLED, error.message, error.retry_after)
    except errors.ApiError as error:
        passing = isinstance(error, errors.Unreachable | errors.Unanswered | errors.ServerError)
        kind = AnswerKind.NOT_REACHED if passing else AnswerKind.NOT_CALLED
        return EvictionAnswer(kind, f"the pod could not be read before the call: {error}")
    return _changed(seen, pod)


def _changed(seen: Mapping[str, Any], pod: Pod) -> EvictionAnswer | None:
    metadata = seen.get("metadata", {})
    phase = seen.get("status", {}).get("phase")
    if metadata.get("uid") != pod.uid:
        return EvictionAnswer(AnswerKind.REPLACED, f"{pod} now has UID {metadata.get('uid')}, decided on was {pod.uid}")
    if metadata.get("deletionTimestamp"):
        return EvictionAnswer(AnswerKind.TERMINATING, f"{pod} is being deleted by somebody else")
    if phase in {Phase.SUCCEEDED, Phase.FAILED}:
        return EvictionAnswer(AnswerKind.GONE, f"{pod} has ended ({phase})")
    veto = next((key for key in vetoes.KEYS if key in (metadata.get("annotations") or {})), None)
    return None if veto is None else EvictionAnswer(AnswerKind.VETOED, f"{pod} carries {veto}")


def still_runs(api: KubeApi, pod: Pod) -> bool | None:
    """Tell whether the pod with this UID still runs; None where it could not be read."""
    seen = look(api, pod)
    if seen is None or seen.kind is AnswerKind.VETOED:
        return True
    return False if seen.kind in _NO_LONGER else None


def pod_path(pod: Pod) -> str:
    """Return the API path of a pod."""
    return f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}"
