"""What is wrong with each query, in words, logged once per change; it decides nothing."""

import logging
import threading
from collections.abc import Mapping

_LOG = logging.getLogger(__name__)


class Troubles:
    """The last trouble by query name; safe to use from several threads."""

    def __init__(self) -> None:
        self._words: dict[str, str] = {}
        self._lock = threading.Lock()

    def tell(self, name: str, words: str | None) -> None:
        """Note the trouble of a query, None for none; only a change is logged."""
        with self._lock:
            before = self._words.get(name)
            if words is None:
                self._words.pop(name, None)
            else:
                self._words[name] = words
        if words is not None and words != before:
            _LOG.warning("signal %s: %s", name, words)
        if words is None and before is not None:
            _LOG.info("signal %s: usable again", name)

    def replace(self, troubles: Mapping[str, str]) -> None:
        """Note that these are all the troubles there are, as another process found them."""
        for name in self.now().keys() - troubles.keys():
            self.tell(name, None)
        for name, words in troubles.items():
            self.tell(name, words)

    def now(self) -> Mapping[str, str]:
        """Return every trouble there is."""
        with self._lock:
            return dict(self._words)
