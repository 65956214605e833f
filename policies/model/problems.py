"""What is wrong with a policy, as values: every problem names file, line and path; decides nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from policies.model.sections import Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One error or warning. `path` is the YAML path (`slos[0].window`), empty for the document as a whole."""

    file: str
    line: int
    path: str
    message: str

    def __str__(self) -> str:
        place = f"{self.path}: " if self.path else ""
        return f"{self.file}:{self.line}: {place}{self.message}"


class PolicyErrors(Exception):  # noqa: N818  # it is all errors of a policy at once
    """A policy that does not validate, with every error in it, in the order of the lines."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def path_text(at: Location) -> str:
    """Write a location as a YAML path: `slos[0].selector.matchLabels["app.kubernetes.io/name"]`."""
    text = ""
    for part in at:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.replace("-", "").replace("_", "").isalnum():
            text += f".{part}" if text else part
        else:
            text += f'["{part}"]'
    return text
