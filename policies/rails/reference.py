"""The reference page of the rails, in Markdown, out of their module docstrings; writes no file."""

from collections.abc import Iterator
from typing import Final

from policies.rails.order import RAILS

_HEAD: Final = """\
# Rails

<!-- Generated from policies/rails by `python -m bayplan.reference`; change the docstrings there, not here. -->

A rail protects a pod, a workload, a node or the cluster from an eviction. Each candidate is asked about in the order of
this page, and the first refusal is the reason that logs, events, metrics (label `rail`), records and reports show.
Observing runs (`eviction.mode: observe`) ask exactly the same. Accepted and refused examples of every rail are in
`tests/cases/rails/`.

From the widest and firmest to the narrowest and most fleeting: what stops everybody; what the pod is; what its owner
said; where its data are; how its node and its workload are doing; what happened lately; what one cycle shares out.
"""
_AFTERWARDS: Final = """\
## After the rails

A candidate that passes them all needs a destination, and is looked at once more on fresh state just before it is
evicted.

| name | meaning |
|---|---|
| `no-destination` | kube-scheduler would place the pod on no other node; the message counts the nodes by reason |
| `no-useful-move` | other nodes could take it, but none that is fully measured would stay afloat and gain by it; the \
message gives the buoyancy they would have |
| `gone` | the pod no longer exists |
"""


def render() -> str:
    """Return the whole page."""
    return "\n".join([_HEAD, *_sections(), _AFTERWARDS])


def _sections() -> Iterator[str]:
    for rail in RAILS:
        yield f"## `{rail.name}`\n\n{rail.prose.strip()}\n"
