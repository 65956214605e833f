"""Which nodes of a request are refused for buoyancy: the lowest, not too many, and the last one only for a time."""

from policies.placement.holds import may_empty, most_refusals
from policies.placement.reasons import Reason
from policies.placement.views import Field, View
from policies.values.pods import Pod


def check(_pod: Pod, field: Field, view: View) -> tuple[Reason, list[str]]:
    """Refuse nodes with `B_n < filterBelow`, lowest `B_n` first, within `maxRefusedNodes` of the names asked for."""
    # By the few nodes below, not by the thousands of names; as a tuple, as entries come and go meanwhile.
    below = view.ratings.below
    low = [name for name in tuple(below) if name in field.left]
    most = _most(field, view)
    if len(low) <= most:
        return Reason.BUOYANCY, low
    # Sorted by name first: equal nodes must not be told apart by the order that kube-scheduler happens to send.
    return Reason.BUOYANCY, sorted(sorted(low), key=lambda name: below.get(name, 0.0))[:most]


def _most(field: Field, view: View) -> int:
    share = view.buoyancy.max_refused_nodes
    most = most_refusals(field.asked, share=share)
    if field.safe or may_empty(share=share, hold_over=view.hold_over):
        return most
    return max(0, min(most, len(field.left) - 1))
