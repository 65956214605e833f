"""Asking a program over HTTP whether it is ready."""

from collections.abc import Callable
from pathlib import Path

import requests


def http_ok(url: str, *, ca_file: Path | None = None) -> Callable[[], bool]:
    """Return a probe that is true once a GET of the URL is answered with success.

    `ca_file` is the certificate that the program writes when it starts; until it exists the answer is false.
    """

    def probe() -> bool:
        if ca_file is not None and not ca_file.exists():
            return False
        try:
            with requests.Session() as session:
                session.trust_env = False
                session.verify = True if ca_file is None else str(ca_file)
                return session.get(url, timeout=2.0).ok
        except requests.RequestException:
            return False

    return probe
