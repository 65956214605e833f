"""What the Eviction API can say to one call, told apart as values; makes no call and writes nothing.

The bodies are those of kube-apiserver's eviction handler (seen on 1.37): a budget that says no is a 429 with the cause
`DisruptionBudget`, flow control a 429 without any, several budgets on one pod a 500.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from policies.values.records import RecordState
from sources.kube import errors

BUDGET_CAUSE: Final = "DisruptionBudget"
_SEVERAL_BUDGETS: Final = "more than one PodDisruptionBudget"
# KubeVirt refuses the eviction of a virtual machine's pod with this text when it begins to migrate (descheduler#1397).
_BACKGROUND: Final = "triggered evacuation"


class AnswerKind(StrEnum):
    """The answers a caller has to tell apart."""

    ACCEPTED = "201 accepted"
    BACKGROUND = "429 begun in the background"
    OBSERVED = "observed, not called"
    NOT_CALLED = "not called"
    NOT_REACHED = "not reached"
    GIVEN_UP = "given up: timeout"
    GONE = "404 gone"
    REPLACED = "409 another pod of that name"
    TERMINATING = "already terminating"
    VETOED = "vetoed meanwhile"
    CONFLICT = "409 conflict"
    BUDGET = "429 disruption budget"
    THROTTLED = "429 throttled"
    FORBIDDEN = "403 forbidden"
    SEVERAL_BUDGETS = "500 several budgets"
    UNKNOWN = "no answer"
    OTHER = "refused"


_STATES: Final = {
    AnswerKind.ACCEPTED: RecordState.ACCEPTED,
    AnswerKind.BACKGROUND: RecordState.ACCEPTED,
    AnswerKind.OBSERVED: RecordState.OBSERVED,
    AnswerKind.UNKNOWN: RecordState.UNKNOWN,
}
_KINDS: Final[tuple[tuple[type[errors.ApiError], AnswerKind], ...]] = (
    (errors.Unreachable, AnswerKind.NOT_REACHED),
    (errors.NotFound, AnswerKind.GONE),
    (errors.Conflict, AnswerKind.CONFLICT),
    (errors.Forbidden, AnswerKind.FORBIDDEN),
    (errors.Unauthorized, AnswerKind.FORBIDDEN),
)
_PASSING: Final = frozenset({AnswerKind.NOT_REACHED, AnswerKind.THROTTLED, AnswerKind.CONFLICT})
_WORTH_ANOTHER_TRY: Final = _PASSING | {AnswerKind.BUDGET}


@dataclass(frozen=True, slots=True)
class EvictionAnswer:
    """One answer: its kind, the server's words, and how long it asked to wait (seconds), None if it did not."""

    kind: AnswerKind
    text: str = ""
    retry_after: float | None = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.text else str(self.kind)

    @property
    def state(self) -> RecordState:
        """What the record becomes: everything that is neither done nor open is a refusal."""
        return _STATES.get(self.kind, RecordState.REFUSED)

    @property
    def may_try_again(self) -> bool:
        """Whether the same call may succeed a little later. An unknown outcome is never tried again."""
        return self.kind in _WORTH_ANOTHER_TRY

    @property
    def is_passing(self) -> bool:
        """Whether it says nothing of the pod or its budgets: the server was busy, or was not there."""
        return self.kind in _PASSING


def classify(error: errors.ApiError) -> EvictionAnswer:
    """Return the answer that an error of the eviction call stands for.

    No connection, a 4xx and the 500 for several budgets prove that nothing was evicted: any other server error, a
    timeout or a broken connection may hide an eviction that happened.
    """
    text = error.message if isinstance(error, errors.StatusError) else str(error)
    if isinstance(error, errors.TooManyRequests):
        return _too_many(error)
    retry_after = error.retry_after if isinstance(error, errors.StatusError) else None
    return EvictionAnswer(_kind(error, text), text, retry_after)


def _kind(error: errors.ApiError, text: str) -> AnswerKind:
    if isinstance(error, errors.ServerError):
        return AnswerKind.SEVERAL_BUDGETS if _SEVERAL_BUDGETS in text else AnswerKind.UNKNOWN
    if isinstance(error, errors.Conflict) and "UID in precondition" in text:
        return AnswerKind.REPLACED
    found = next((kind for known, kind in _KINDS if isinstance(error, known)), None)
    if found is not None:
        return found
    return AnswerKind.OTHER if isinstance(error, errors.StatusError) else AnswerKind.UNKNOWN


def _too_many(error: errors.TooManyRequests) -> EvictionAnswer:
    if _BACKGROUND in error.message:
        return EvictionAnswer(AnswerKind.BACKGROUND, error.message)
    if any(cause.reason == BUDGET_CAUSE for cause in error.causes):
        words = "; ".join(cause.message for cause in error.causes if cause.message)
        return EvictionAnswer(AnswerKind.BUDGET, words or error.message, error.retry_after)
    return EvictionAnswer(AnswerKind.THROTTLED, error.message, error.retry_after)
