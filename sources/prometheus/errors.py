"""What can keep a query from giving series, as one tree; nothing of any HTTP library is in it.

QueryError
├── SourceUnreachable   no connection, a certificate we do not trust, no credentials to send
├── SourceTimedOut      no whole answer within the query's time
├── QueryRefused        an answer with an error status: bad PromQL, missing rights, an overloaded server
└── AnswerMalformed     an answer that is not what the query API promises
"""

# ruff: noqa: N818  # each name says what happened; "Error" behind it would add nothing


class QueryError(Exception):
    """A query that gave no series; the text says why."""


class SourceUnreachable(QueryError):
    """Prometheus could not be asked."""


class SourceTimedOut(QueryError):
    """Prometheus was asked and did not answer in time."""


class QueryRefused(QueryError):
    """Prometheus answered with an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"HTTP {status}: {message}" if message else f"HTTP {status}")
        self.status = status


class AnswerMalformed(QueryError):
    """Prometheus (or something in its place) answered with something else than series."""
