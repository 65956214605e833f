"""Where a policy's values come from, opened for one policy and closed with it; reads nothing by itself."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from extender.polling import Sources
from extender.reading_apart import ReadingApart
from policies.model.policy import Policy
from policies.values.pods import Pod
from sources.clocks import Clock
from sources.kube.api import KubeApi
from sources.signals.folding import SlackFolder
from sources.signals.opening import open_signals
from sources.signals.reader import Inventories
from sources.supervising import Health, supervise


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What sources are opened for: a policy, and who may be measured."""

    policy: Policy
    inventory: Inventories
    pods: Callable[[], Iterable[Pod]]
    health: Health
    clock: Clock


def opener(api: KubeApi) -> Callable[[Opening], Sources]:
    """Return what opens the sources of a policy. `api` serves metrics-server, which knows no objective."""

    def open_sources(opening: Opening) -> Sources:
        policy = opening.policy
        if policy.signals.source == "prometheus":
            return _from_prometheus(opening)
        signals = open_signals(policy, opening.inventory, api=api, clock=opening.clock)
        return Sources(signals=signals, close=signals.close)

    return open_sources


def _from_prometheus(opening: Opening) -> Sources:
    """Read nodes and workloads in one child process; where there are objectives, fold them in another."""
    reading = ReadingApart(opening.policy, opening.inventory)
    if not opening.policy.slos or opening.policy.buoyancy.include_slack == "off":
        return Sources(signals=reading, close=reading.close)
    folder, stop = SlackFolder(opening.policy, opening.pods, clock=opening.clock), threading.Event()

    def fold() -> None:
        supervise("slacks", lambda: folder.run(stop), stop=stop, health=opening.health, clock=opening.clock)

    def close() -> None:
        stop.set()
        reading.close()

    threading.Thread(target=fold, name="slacks", daemon=True).start()
    return Sources(signals=reading, slacks=folder, close=close)
