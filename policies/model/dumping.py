"""A policy back to text, and the hash of its content; loading what was dumped gives the same policy."""

import hashlib
import json
from typing import Any, Final

import yaml

from policies.model.policy import Policy
from policies.model.text import use_core_schema

HASH_DIGITS: Final = 12  # 48 bits: enough to tell a cluster's versions apart, short enough to read aloud


class _Dumper(yaml.SafeDumper):
    """Quotes whatever the policy's own reader would not take for text."""


use_core_schema(_Dumper)


def plain(policy: Policy) -> dict[str, Any]:
    """Return the whole policy, defaults included, as plain data with the keys of YAML."""
    return policy.model_dump(mode="json", by_alias=True, exclude_none=True)


def dump(policy: Policy) -> str:
    """Return the whole policy, defaults included, as YAML."""
    return yaml.dump(plain(policy), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def content_hash(policy: Policy) -> str:
    """Return a short hash of what the policy says; comments, order and spelled-out defaults do not change it."""
    canonical = json.dumps(plain(policy), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:HASH_DIGITS]
