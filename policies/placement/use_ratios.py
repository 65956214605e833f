"""What the pods of a workload use per requested unit: the expectation for a pod that was not measured yet."""

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from policies.buoyancy.assumed_load import use_ratio
from policies.buoyancy.capacities import amount
from policies.model.signals import Signals
from policies.placement.expected_load import Ratios, Turn
from policies.values.resources import Resources
from policies.values.signals import SignalHistory

Requested = Mapping[str, Mapping[str, int]]


def use_ratios(history: SignalHistory, *, signals: Signals, requested: Requested, turns: Iterable[Turn]) -> Ratios:
    """Return use / request by workload and resource, where both are known.

    Pods that came within the rate's window are not in the measured use yet, so their requests are left out: else a
    workload that was just scaled up would seem to use little of what it requests.
    """
    now = float(history.times[-1])
    came = [turn for turn in turns if not turn.ended]
    ratios: dict[tuple[str, str], float] = {}
    for resource, readings in history.resources.items():
        signal = signals.resources.get(resource)
        if signal is None or not signal.additive or readings.workload is None or not readings.workload.objects:
            continue
        unsettled: Counter[str] = Counter()
        for turn in came:
            if turn.at > now - signal.rate_window:
                unsettled[turn.workload] += turn.pod.requests[resource]
        newest = readings.workload.values[:, -1]
        for at in np.flatnonzero(np.isfinite(newest)).tolist():
            workload = readings.workload.objects[at]
            settled = requested.get(workload, {}).get(resource, 0) - unsettled[workload]
            if settled > 0:
                wanted = amount(Resources({resource: settled}), resource)
                ratios[workload, resource] = use_ratio(newest.item(at), wanted)
    return ratios
