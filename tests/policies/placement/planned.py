"""Three nodes and plans in force on them."""

from tests.builders import make_node, make_resources
from tests.policies.plans.making import in_force, make_plan, make_quota

NODES = [make_node(name, cpu=1000) for name in ("n1", "n2", "n3")]
NAMES = ["n1", "n2", "n3"]
BIG = make_resources(cpu=700, pods=1)
FORCE = in_force(make_plan(make_quota()), NODES)
TIGHT = in_force(make_plan(make_quota(requests=BIG)), NODES)
