"""Times of the API (RFC 3339) as Unix seconds; reads no clock."""

from datetime import UTC, datetime


def unix_seconds(text: str) -> float:
    """Return Unix seconds of a time such as `2026-03-01T12:00:00Z`, with or without fractions.

    Raises:
        TypeError, ValueError: it is no such time.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)  # the API always writes Z; a time without a zone can only be meant as UTC
    return moment.timestamp()


def unix_seconds_or_none(text: str | None) -> float | None:
    """Return Unix seconds, or None where the API has no time (absent, null or empty)."""
    return unix_seconds(text) if text else None


def rfc3339(seconds: float) -> str:
    """Write Unix seconds as the API's MicroTime, which Leases and Events carry."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
