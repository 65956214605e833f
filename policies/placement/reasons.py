"""Why nodes are refused: one constant text a reason, since a text that changes makes kube-scheduler ask without end.

kube-scheduler counts equal texts over nodes and writes `3 <text>` into the pod's event and condition. A node's name, a
number or a time in the text would mean a status patch per attempt, and each such patch requeues the pod.
"""

from enum import StrEnum
from typing import Final


class Reason(StrEnum):
    """A reason by its short name, as it stands in metrics and in explanations."""

    BUOYANCY = "buoyancy"
    STEERING = "steering"
    PLANNED = "planned"
    HELD = "held"
    RESERVED = "reserved"
    SHUTS_OUT = "shuts-out"


# Cluster Autoscaler does not ask extenders: a pod refused for congestion never brings a new node, so the text says so.
TEXTS: Final = {
    Reason.BUOYANCY: "node(s) had buoyancy below Bayplan's threshold (congested, which causes no scale-up)",
    Reason.STEERING: "node(s) had this workload evicted from them by Bayplan recently",
    Reason.PLANNED: "node(s) were not where Bayplan's active plan puts this pod",
    Reason.HELD: "node(s) were kept waiting by Bayplan until its plan is carried out",
    Reason.RESERVED: "node(s) had their room promised to other pods by Bayplan's active plan",
    Reason.SHUTS_OUT: "node(s) would lose a pod of Bayplan's active plan by anti-affinity",
}
# Those that end with the plan.
PLAN_REASONS: Final = frozenset({Reason.PLANNED, Reason.HELD, Reason.RESERVED, Reason.SHUTS_OUT})
