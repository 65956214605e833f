"""The policy in the form that requests need it, compiled once per change; reads no file."""

from dataclasses import dataclass

from policies.model.policy import Policy
from policies.placement.scope import Reach


@dataclass(frozen=True, slots=True)
class Ruling:
    """A policy with the hash of its text and its compiled scope."""

    policy: Policy
    digest: str
    reach: Reach

    @staticmethod
    def of(policy: Policy, *, digest: str, own_namespace: str) -> "Ruling":
        """Compile a policy."""
        return Ruling(policy, digest, Reach.of(policy.scope, own_namespace))


class Rulings:
    """The ruling in force. Replaced as a whole, so that a request never sees half of a change."""

    def __init__(self, first: Ruling) -> None:
        self.current = first
