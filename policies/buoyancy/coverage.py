"""Coverage: the share of nodes that are measured well enough to evict anybody for contention."""

from collections.abc import Collection

import numpy as np

from policies.buoyancy.saturation import Saturation


def coverage(saturation: Saturation, *, among: Collection[str]) -> float:
    """Return the share of the named nodes of which every verified resource is whole at the newest evaluation.

    Unverified resources are left out, as they evict nobody anyway; without any verified one nobody is covered. Of no
    nodes at all the share is 0: nothing is known.
    """
    if not among or not saturation.verified.any() or not len(saturation.times):
        return 0.0
    covered = np.all(saturation.whole[saturation.verified][:, :, -1], axis=0)
    rows = [saturation.row[name] for name in among if name in saturation.row]
    return float(np.count_nonzero(covered[rows])) / len(among)
