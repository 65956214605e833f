"""What the rules look at: one cluster, one stretch of signal history, one ledger; computed once, proposed from twice.

Nothing here proposes. `observe` cuts the history to what any run may use, so that a loop decides as a single run does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from policies.buoyancy.contention import Contention, contend
from policies.buoyancy.corrections import Arithmetic, without_departed
from policies.buoyancy.debounce import Trigger, evaluations_over
from policies.buoyancy.history import recent
from policies.buoyancy.saturation import Saturation, saturate
from policies.model.policy import Policy
from policies.model.signals import Signals
from policies.rules.evictions import Evictions, read_ledger
from policies.rules.inhabitants import Inhabitants
from policies.rules.objectives import Objective, measure
from policies.values.clusters import Cluster
from policies.values.records import EvictionRecord
from policies.values.signals import SignalHistory


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class World:
    """A cluster with its saturation as measured, its contention corrected by the ledger, and every objective.

    `pod_scores` are `R_i` by resource and `namespace/name`; only the resources that `pod_use.wanted` names need to be
    there.
    """

    cluster: Cluster
    policy: Policy
    inhabitants: Inhabitants
    saturation: Saturation
    contention: Contention
    evictions: Evictions
    objectives: tuple[Objective, ...]
    pod_scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def observe(cluster: Cluster, history: SignalHistory, *, records: Iterable[EvictionRecord], policy: Policy) -> World:
    """Return the world at the newest evaluation of a history. Pod scores are added by `pod_use.with_pod_use`."""
    seen = recent(history, span=policy.history_span)
    inhabitants = Inhabitants.of(cluster)
    evictions = read_ledger(records, cluster)
    saturation = saturate(seen, policy.signals, nodes=tuple(cluster.nodes))
    corrected = without_departed(saturation, evictions.departures, arithmetic=arithmetic(policy.signals))
    return World(
        cluster=cluster,
        policy=policy,
        inhabitants=inhabitants,
        saturation=saturation,
        contention=contend(corrected, buoyancy_trigger(policy, step=seen.step)),
        evictions=evictions,
        objectives=measure(seen, inhabitants, policy=policy, evictions=evictions),
    )


def buoyancy_trigger(policy: Policy, *, step: float) -> Trigger:
    """Return when headroom means that a node is oversubscribed, and when no longer."""
    buoyancy = policy.buoyancy
    return Trigger(
        below=buoyancy.deschedule_below,
        clear_above=buoyancy.clear_above,
        needed=evaluations_over(buoyancy.deschedule_after, step),
    )


def arithmetic(signals: Signals) -> Arithmetic:
    """Return which resources may be added and subtracted."""
    resources = signals.resources
    return Arithmetic(
        additive=frozenset(name for name, signal in resources.items() if signal.additive),
        rate_windows={name: signal.rate_window for name, signal in resources.items()},
    )
