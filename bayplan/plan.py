"""`bayplan plan`: the placement plans of a cluster. Wires parts together, decides nothing.

Each command stands in a file of its own, named in the table here and imported only when it runs: solving needs
OR-Tools, looking at a plan does not.
"""

from typing import Final

import click

from bayplan.lazy import Lazy, LazyGroup

COMMANDS: Final[dict[str, Lazy]] = {
    "solve": Lazy("bayplan.plan_solve", "solve", "Compute a plan from a saved or a live cluster, and change nothing."),
    "show": Lazy("bayplan.plan_show", "show", "Show the cluster's plans and how far they got."),
    "abort": Lazy("bayplan.plan_abort", "abort", "Stop a plan before its next eviction."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def plan() -> None:
    """Solve, show and abort placement plans."""
