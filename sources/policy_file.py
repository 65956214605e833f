"""The policy file: read at the start, watched by the hash of its bytes, replaced only by a policy that validates.

Polled, not watched by inotify: a ConfigMap changes by swapping a symlink two levels up, which a watch on the file
misses. It decides nothing about the policy itself; that is `policies.model`.
"""

import hashlib
import logging
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol

from policies.model.loading import Loaded, load
from policies.model.problems import PolicyErrors, Problem
from sources.clocks import Clock, SystemClock

_LOG = logging.getLogger(__name__)
POLL_EVERY: Final = 5.0  # seconds; the kubelet itself takes up to a minute to bring a changed ConfigMap
_LOGGED: Final = 50  # errors of one rejected file; 1 MiB can hold fifty thousand
LARGEST: Final = 1024 * 1024  # bytes; the API server allows a ConfigMap of 1 MiB


class PolicyListener(Protocol):
    """Who wants to know of a new policy. Called in the thread that polls."""

    def __call__(self, loaded: Loaded) -> None:
        """Take the new policy into use."""
        ...


def read_policy(path: Path) -> Loaded:
    """Read and validate a policy file.

    Raises:
        PolicyErrors: the file cannot be read or holds no valid policy; all errors are in it.
    """
    return _parse(_read(path), path)


class PolicyFile:
    """The policy in force. An invalid change keeps the old one and shows in `trouble`."""

    def __init__(self, path: Path, *, listener: PolicyListener | None = None, clock: Clock | None = None) -> None:
        """Read the file; raise `PolicyErrors` where there is no valid policy to begin with."""
        self._path = path
        self._listener = listener
        self._clock = clock or SystemClock()
        content = _read(path)
        self._seen = self._in_force = _digest(content)
        self._current = _parse(content, path)
        self._trouble: str | None = None
        self.reloaded = 0
        self.rejected = 0
        _log_warnings(self._current)

    @property
    def current(self) -> Loaded:
        """The policy in force."""
        return self._current

    @property
    def trouble(self) -> str | None:
        """What is wrong with the file as it stands, in words; None while it is the policy in force."""
        return self._trouble

    def listen(self, listener: PolicyListener) -> None:
        """Tell somebody of new policies from now on; a service is made after its policy was read."""
        self._listener = listener

    def poll(self) -> bool:
        """Look at the file once; tell whether another policy is in force now."""
        try:
            content = _read(self._path)
        except PolicyErrors as errors:
            self._reject("unreadable", errors)
            return False
        digest = _digest(content)
        if digest == self._in_force:
            self._seen, self._trouble = digest, None  # a bad change was taken back
            return False
        if digest == self._seen:
            return False
        try:
            loaded = _parse(content, self._path)
        except PolicyErrors as errors:
            self._reject(digest, errors)
            return False
        return self._accept(digest, loaded)

    def run(self, stop: threading.Event, *, every: float = POLL_EVERY) -> None:
        """Poll until told to stop."""
        while not stop.wait(every):
            self.poll()

    def _accept(self, digest: str, loaded: Loaded) -> bool:
        changed = loaded.hash != self._current.hash  # comments and order say nothing new
        if changed and self._listener is not None:
            self._listener(loaded)  # first: if it fails, the next poll tries again
        if changed:
            _LOG.info("policy %s replaced by %s", self._current.hash, loaded.hash)
            _log_warnings(loaded)
            self.reloaded += 1
        self._current, self._seen, self._in_force, self._trouble = loaded, digest, digest, None
        return changed

    def _reject(self, seen: str, errors: PolicyErrors) -> None:
        if seen == self._seen:
            return  # said already
        self._seen = seen
        self.rejected += 1
        more = f" and {len(errors.problems) - 1} more" if len(errors.problems) > 1 else ""
        self._trouble = (
            f"policy {self._current.hash} kept since {_time(self._clock.now())}, the file is invalid: "
            f"{errors.problems[0]}{more}"
        )
        for problem in errors.problems[:_LOGGED]:
            _LOG.error("policy rejected: %s", problem)
        if len(errors.problems) > _LOGGED:
            _LOG.error(
                "policy rejected: %d more errors; `bayplan policy check` prints all", len(errors.problems) - _LOGGED
            )


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as cause:
        raise _unreadable(path, f"cannot be read: {cause.strerror or cause}") from cause
    if len(content) > LARGEST:
        raise _unreadable(path, f"larger than the allowed {LARGEST} bytes")
    return content


def _parse(content: bytes, path: Path) -> Loaded:
    try:
        text = content.decode()
    except UnicodeDecodeError as cause:
        line = content.count(b"\n", 0, cause.start) + 1
        raise _unreadable(
            path, f"byte {content[cause.start]:#x} is not UTF-8; allowed is YAML in UTF-8", line=line
        ) from cause
    return load(text, file=str(path))


def _unreadable(path: Path, message: str, *, line: int = 1) -> PolicyErrors:
    return PolicyErrors([Problem(file=str(path), line=line, path="", message=message)])


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _log_warnings(loaded: Loaded) -> None:
    for warning in loaded.warnings:
        _LOG.warning("policy: %s", warning)
