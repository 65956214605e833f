"""What the active plan refuses: other nodes to the pods it places, all to those it holds, its promises to the rest."""

from policies.placement.reasons import Reason
from policies.placement.views import Field, View
from policies.values.pods import Pod


def check_destination(_pod: Pod, field: Field, view: View) -> tuple[Reason, list[str]]:
    """Refuse every node but one to a pod that the plan places."""
    if view.plan is None or not view.plan.planned:
        return Reason.PLANNED, []
    destination = view.plan.destination(field.left)
    return Reason.PLANNED, [name for name in field.left if name != destination]


def check_hold(_pod: Pod, field: Field, view: View) -> tuple[Reason, list[str]]:
    """Refuse every node to a pod that is to wait until the plan is over, or is there at all."""
    held = view.plan is not None and view.plan.held
    return Reason.HELD, [*field.left] if held else []


def check_room(_pod: Pod, field: Field, view: View) -> tuple[Reason, list[str]]:
    """Refuse the nodes where the pod would use up what is promised to others."""
    return Reason.RESERVED, [] if view.plan is None else view.plan.closed(field.left)


def check_company(_pod: Pod, field: Field, view: View) -> tuple[Reason, list[str]]:
    """Refuse the nodes from which the pod would shut out one that the plan places."""
    return Reason.SHUTS_OUT, [] if view.plan is None else view.plan.barred(field.left)
