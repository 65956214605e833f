"""A Prometheus that answers from a script and records what it was asked; and policies that ask it."""

from typing import Any

from policies.model.policy import Policy
from policies.model.signals import ResourceSignal, Signals
from sources.prometheus.errors import QueryError
from sources.prometheus.series import Dated, Series, Span

AT = 1_800_000_000.0


class FakeSource:
    """Implements `QuerySource`. An answer is a list of (labels, value or values by time), or an error to raise."""

    def __init__(self, **answers: Any) -> None:
        self.dated: Dated | None = None
        self.answers: dict[str, Any] = answers
        self.asked: list[str] = []
        self.closed = False

    def instant(self, query: str, at: float) -> list[Series]:
        """Give each series' value."""
        return [Series(labels, [at], [value]) for labels, value in self._answer(query)]

    def range(self, query: str, span: Span) -> list[Series]:
        """Give each series' samples; a bare number is its value at every step."""
        times = [span.start + span.step * step for step in range(round((span.end - span.start) / span.step) + 1)]
        found = []
        for labels, values in self._answer(query):
            samples = values if isinstance(values, dict) else dict.fromkeys(times, values)
            found.append(Series(labels, list(samples), list(samples.values())))
        return found

    def close(self) -> None:
        """Note it."""
        self.closed = True

    def _answer(self, query: str) -> Any:
        self.asked.append(query)
        answer = self.answers.get(query, [])
        if isinstance(answer, QueryError):
            raise answer
        return answer


def policy_of(*, slos: Any = (), step: float = 15.0, stale_after: float = 60.0, **resources: dict[str, Any]) -> Policy:
    """Return a policy with these resources' queries."""
    return Policy(
        api_version="bayplan.dev/v1alpha1",
        kind="Policy",
        signals=Signals(
            step=step,
            stale_after=stale_after,
            resources={name: ResourceSignal(**queries) for name, queries in resources.items()},
        ),
        slos=tuple(slos),
    )
