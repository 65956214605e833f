"""Reads the examples of the checker's rules in tests/cases/plans into problems and plans.

A pod is `{node, to, ...}` and any other field of `Item`: without `to` it stays, `to: null` leaves it without a place.
An example is accepted whole unless it says `refused`, a part of the message of the rule that its file is named for;
`also` names further rules that it breaks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from descheduler.optimiser.checking import Rule, Violation, check
from descheduler.optimiser.problem import Attraction, Budget, Exclusive, Item, Problem, Separation, Site, Spread
from descheduler.optimiser.solution import Options
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site

FOLDER = Path(__file__).parents[2] / "cases" / "plans"
_GROUPS = {
    "budgets": Budget,
    "exclusives": Exclusive,
    "separations": Separation,
    "attractions": Attraction,
    "spreads": Spread,
}
_KEYS = {
    "name",
    "items",
    "sites",
    "eligibility",
    "assignment",
    "max_disruptions",
    "options",
    "steps",
    "refused",
    "also",
}


@dataclass(frozen=True, slots=True)
class Example:
    """One example of one rule."""

    rule: Rule
    data: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.rule}: {self.data['name']}"

    @property
    def refused(self) -> str | None:
        """A part of the message it is refused with, None where it is accepted."""
        return self.data.get("refused")

    @property
    def broken(self) -> set[Rule]:
        """The rules that it breaks."""
        return {self.rule, *map(Rule, self.data.get("also", ()))} if self.refused else set()

    def judge(self) -> tuple[Violation, ...]:
        """Return what the checker says of it."""
        problem = self._problem()
        assignment = self.data.get("assignment", [_place(pod) for pod in self.data["items"]])
        options = Options(**self.data.get("options", {}))
        return check(problem, tuple(assignment), options, steps=self.data.get("steps"))

    def _problem(self) -> Problem:
        items = [_item(position, pod) for position, pod in enumerate(self.data["items"])]
        changes: dict[str, Any] = {key: self.data[key] for key in ("max_disruptions",) if key in self.data}
        if "eligibility" in self.data:
            changes["eligibility"] = tuple(tuple(nodes) for nodes in self.data["eligibility"])
        for key, kind in _GROUPS.items():
            changes[key] = tuple(kind(**_frozen(group)) for group in self.data.get(key, ()))
        return make_problem(items, _sites(self.data.get("sites", ())), **changes)


def examples() -> Iterator[Example]:
    """Yield every example of every file."""
    for path in sorted(FOLDER.glob("*.yaml")):
        for data in yaml.safe_load(path.read_text()):
            unknown = data.keys() - _KEYS - _GROUPS.keys()
            assert not unknown, f"{path.name}: {data['name']}: unknown keys {sorted(unknown)}"
            yield Example(Rule(path.stem), data)


def _place(pod: Mapping[str, Any]) -> Any:
    return pod.get("to", None if pod.get("must_leave") else pod.get("node"))


def _item(position: int, pod: Mapping[str, Any]) -> Item:
    return make_item(f"pod-{position}", **_frozen({key: value for key, value in pod.items() if key != "to"}))


def _sites(given: Any) -> list[Site]:
    return [make_site(f"n{number}", **_frozen(site)) for number, site in enumerate(given, start=1)]


def _frozen(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _tuples(value) for key, value in data.items()}


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
