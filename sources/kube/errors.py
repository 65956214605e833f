"""What can go wrong between us and the Kubernetes API, as one tree; nothing of the HTTP library is in it.

ApiError
├── Unreachable           no connection: the request never left
├── Unanswered            it may or may not have been carried out
│   ├── TimedOut          no whole answer in time
│   └── Interrupted       the connection broke after the request was on its way
├── Undecodable           an answer that is not what the API promises
└── StatusError           the server said no, with a status
    ├── Unauthorized 401, Forbidden 403, NotFound 404, Gone 410, TooManyRequests 429
    ├── Conflict 409
    │   └── AlreadyExists
    └── ServerError 5xx
        └── GatewayTimeout 504: it may or may not have been carried out
"""

# ruff: noqa: N818  # the names are HTTP's own, and each says what happened without an "Error" behind it

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final


class ApiError(Exception):
    """Anything that keeps a call to the Kubernetes API from succeeding."""


class Unreachable(ApiError):
    """No connection could be made, so nothing was asked of the server."""


class Unanswered(ApiError):
    """The request was sent and its outcome is not known."""


class TimedOut(Unanswered):
    """No whole answer came within the call's time."""


class Interrupted(Unanswered):
    """The connection broke before the answer was whole."""


class Misconfigured(ApiError):
    """No kubeconfig, service account or token that could be used."""


class Undecodable(ApiError):
    """The answer is not what the API promises (for a list: no `items`)."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One entry of `details.causes` of a Status object."""

    reason: str = ""
    message: str = ""


class StatusError(ApiError):
    """The server answered with an error status.

    `reason`, `message` and `causes` come from its Status object, `retry_after` (seconds) from the Retry-After
    header or from `details.retryAfterSeconds`.
    """

    def __init__(
        self,
        status: int,
        *,
        reason: str = "",
        message: str = "",
        causes: tuple[Cause, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(": ".join(filter(None, (f"{status} {reason}".strip(), message))))
        self.status = status
        self.reason = reason
        self.message = message
        self.causes = causes
        self.retry_after = retry_after


class Unauthorized(StatusError):
    """401: the credentials were not accepted."""


class Forbidden(StatusError):
    """403: a right is missing."""


class NotFound(StatusError):
    """404: no such object, or no such kind."""

    def names(self, name: str) -> bool:
        """Tell whether it is the object that is missing: a server that has just started does not know the kind yet."""
        return f'"{name}"' in self.message


class Conflict(StatusError):
    """409: a precondition or a resource version does not hold."""


class AlreadyExists(Conflict):
    """409 on create: the name is taken."""


class Gone(StatusError):
    """410: the resource version or the continue token is too old."""


class TooManyRequests(StatusError):
    """429: a PDB forbids it (`causes` names it), or the server is busy."""


class ServerError(StatusError):
    """5xx."""


class GatewayTimeout(ServerError):
    """504: the server gave up waiting; the request may have been carried out."""


_BY_STATUS: Final[Mapping[int, type[StatusError]]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    429: TooManyRequests,
    504: GatewayTimeout,
}


def status_error(status: int, body: Mapping[str, Any], *, retry_after: float | None = None) -> StatusError:
    """Return the error for an answer with an error status; `body` is its Status object or anything else."""
    details = body.get("details")
    details = details if isinstance(details, dict) else {}
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else StatusError)  # noqa: PLR2004  # HTTP's own line
    reason = str(body.get("reason") or "")
    if reason == "AlreadyExists" and kind is Conflict:
        kind = AlreadyExists
    seconds = details.get("retryAfterSeconds")
    if retry_after is None and isinstance(seconds, int | float) and seconds > 0:
        retry_after = float(seconds)
    message = str(body.get("message") or "")
    return kind(status, reason=reason, message=message, causes=_causes(details), retry_after=retry_after)


def _causes(details: Mapping[str, Any]) -> tuple[Cause, ...]:
    causes = details.get("causes")
    return tuple(
        Cause(str(cause.get("reason") or ""), str(cause.get("message") or ""))
        for cause in (causes if isinstance(causes, list) else [])
        if isinstance(cause, dict)
    )
