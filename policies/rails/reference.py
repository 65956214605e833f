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
_PLANS: Final = """\
## For plans

A move or eviction of a [plan](../design/plans.md) passes the same rails, with the values of `plan.eviction` in place of
those of `eviction` with the same names (refusals name them so), and as many victims of a node as its limit allows. No
destination is looked for: the plan says it. Three more rails only plans have:

| name | meaning |
|---|---|
| `max-grace` | the pod may take longer to end than `plan.maxGrace`, and the whole plan would wait for it |
| `failed-plan` | a plan that took a pod of this workload off this node failed after its validation: the pair rests as \
long as `plan.eviction.coolDown` says |
| `shared-volume` | another pod uses the same volume, and one node at a time may attach it |

Of pending pods a plan leaves out, and says so in `bayplan plan solve`:

| name | meaning |
|---|---|
| `not-placed` | another scheduler's or system-critical pods, those of DaemonSets and out of `scope`, \
gated ones, those that are nominated or going, and those with volumes while the nodes' attach limits cannot be read |
| `too-large` | no node is eligible, or none would have room if it were empty |
| `shared-volume` | another pending pod uses the same volume, and one node at a time may attach it |

Before its first eviction, and in part before each one, a plan itself may be refused:

| name | meaning |
|---|---|
| `plan-drift` | a pod of the plan is gone, moved, resized or bound, or there are more or fewer of its kind than it \
was made for |
| `plan-node` | a node that somebody is to go to is gone |
| `plan-room` | a node would have less than the requests of those on it in the end |
| `plan-size` | more disruptions than `plan.maxDisruptions`, or more than one object holds |
| `no-gain` | somebody would lose his place for no more important gain, or nobody waits any more for what a step \
makes room for: that step is left out, and the plan goes on |
| `node-state`, `node-affinity`, `taints`, `volumes`, `csi-drivers`, `attach-limits`, `host-ports`, \
`anti-affinity`, `affinity`, `topology-spread` | kube-scheduler would not put a planned pod on its node, with \
everybody else in his place |
"""


def render() -> str:
    """Return the whole page."""
    return "\n".join([_HEAD, *_sections(), _AFTERWARDS, _PLANS])


def _sections() -> Iterator[str]:
    for rail in RAILS:
        yield f"## `{rail.name}`\n\n{rail.prose.strip()}\n"
