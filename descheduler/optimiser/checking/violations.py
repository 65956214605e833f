"""What is wrong with a plan, as values; decides nothing."""

from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """What a plan must keep; the name of the module that checks it."""

    FATE = "fate"
    CAPACITY = "capacity"
    ELIGIBILITY = "eligibility"
    EXCLUSIVE = "exclusive"
    SEPARATION = "separation"
    ATTRACTION = "attraction"
    SPREAD = "spread"
    BUDGET = "budget"
    EVICTION = "eviction"
    VECTOR = "vector"
    USAGE = "usage"
    STEP = "step"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One breach of one rule: where it is, what was seen there, and what is allowed."""

    rule: Rule
    where: str
    seen: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.where}: seen {self.seen}; allowed is {self.allowed}"
