"""Hypothesis strategies for the values that decisions take: quantities to clusters, signals, policies.

They stay inside what the API server and the policy accept; a test that wants malformed input makes its own. Small
alphabets on purpose: selectors, taints and owners meet their counterparts often.
"""

from tests.strategies.clusters import clusters, nodes, pods
from tests.strategies.constraints import TOPOLOGIES, constraints, requests
from tests.strategies.figures import any_floats, quantities
from tests.strategies.measured import grids, histories, standings
from tests.strategies.policies import policies

__all__ = [
    "TOPOLOGIES",
    "any_floats",
    "clusters",
    "constraints",
    "grids",
    "histories",
    "nodes",
    "pods",
    "policies",
    "quantities",
    "requests",
    "standings",
]
