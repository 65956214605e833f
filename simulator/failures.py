"""A request that the in-memory API server refuses, as the Status object a client would read; decides nothing."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Cause:
    """One entry of `details.causes`."""

    type: str
    message: str


@dataclass(slots=True)
class Failure(Exception):  # noqa: N818  # it is Kubernetes' word: a Status with status "Failure"
    """An answer other than success. `retry_after` also becomes the Retry-After header when it is not 0."""

    status: int
    reason: str
    message: str
    causes: tuple[Cause, ...] = ()
    retry_after: int = 0
    details: dict[str, Any] = field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        """Return the Status object."""
        details = dict(self.details)
        if self.causes:
            details["causes"] = [{"reason": cause.type, "message": cause.message} for cause in self.causes]
        if self.retry_after:
            details["retryAfterSeconds"] = self.retry_after
        return {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "details": details,
            "code": self.status,
        }


def not_found(plural: str, name: str) -> Failure:
    """Return the answer for an object that does not exist."""
    return Failure(404, "NotFound", f'{plural} "{name}" not found', details={"name": name, "kind": plural})


def conflict(plural: str, name: str, why: str) -> Failure:
    """Return the answer for a lost race."""
    message = f'Operation cannot be fulfilled on {plural} "{name}": {why}'
    return Failure(409, "Conflict", message, details={"name": name, "kind": plural})


def invalid(plural: str, name: str, why: str) -> Failure:
    """Return the answer for an object that validation refuses."""
    return Failure(422, "Invalid", f'{plural} "{name}" is invalid: {why}', details={"name": name, "kind": plural})


def bad_request(why: str) -> Failure:
    """Return the answer for a request that makes no sense."""
    return Failure(400, "BadRequest", why)


def expired(why: str) -> Failure:
    """Return the answer for a resource version that is no longer kept."""
    return Failure(410, "Expired", why)
