"""Which pods were refused every node, since when and until when; forgets them when they are bound or gone.

Times are monotonic seconds. It decides nothing: how long a hold may last is the policy's, asked in `judging`.
"""

import threading
from dataclasses import dataclass, replace
from typing import Final

# A pod whose end was missed must not be kept for ever. An hour later its own PodScheduled condition tells that its
# hold is long over, so nothing is lost.
_FORGOTTEN_AFTER: Final = 3600.0
# After its hold no pod is refused every node, and kube-scheduler asks within 5:30 by itself: whoever did not is gone.
# It must not keep the polls eager.
_ASKS_WITHIN: Final = 360.0


@dataclass(frozen=True, slots=True)
class Hold:
    """One pod: its first refusal of all names, when its hold is over, and whether it sleeps refused by the filter.

    `wakes` is when something changes for it by time alone: its hold or a steering ends.
    """

    since: float
    until: float
    asleep: bool = False
    wakes: float = 0.0


class Holding:
    """The holds by pod UID; requests and watches use it at once."""

    def __init__(self) -> None:
        self._holds: dict[str, Hold] = {}
        self._lock = threading.Lock()

    def of(self, uid: str) -> Hold | None:
        """Return the hold of a pod."""
        return self._holds.get(uid)

    def refuse(self, uid: str, *, now: float, until: float, asleep: bool, wakes: float) -> None:
        """Note that a pod was refused every node now; the first time counts, later ones only renew the rest."""
        with self._lock:
            known = self._holds.get(uid)
            since = known.since if known is not None else now
            self._holds[uid] = Hold(since=since, until=until, asleep=asleep, wakes=wakes)

    def awaken(self, uid: str) -> None:
        """Note that the filter left a pod at least one node."""
        if uid not in self._holds:
            return  # most pods: no lock for them
        with self._lock:
            known = self._holds.get(uid)
            if known is not None:
                self._holds[uid] = replace(known, asleep=False)

    def forget(self, uid: str) -> None:
        """Drop a pod that is bound or gone."""
        if uid in self._holds:
            with self._lock:
                self._holds.pop(uid, None)

    def sweep(self, now: float) -> None:
        """Drop holds that were over long ago, and take for awake who would have asked again since."""
        with self._lock:
            for uid, hold in list(self._holds.items()):
                if now > hold.until + _FORGOTTEN_AFTER:
                    del self._holds[uid]
                elif hold.asleep and now > hold.until + _ASKS_WITHIN:
                    self._holds[uid] = replace(hold, asleep=False)

    def sleepers(self) -> dict[str, Hold]:
        """Return the pods that the filter refused every node when they last asked."""
        with self._lock:
            return {uid: hold for uid, hold in self._holds.items() if hold.asleep}
