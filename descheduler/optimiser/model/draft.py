"""A CP-SAT proto being filled, with the value each variable has in a given plan; knows no placement.

Expressions as Python objects cost ten times as much as writing the proto (docs/design/optimiser.md, section 6).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from ortools.sat.python import cp_model

Values = list[int]
Derive = Callable[[Values], int]
LEAST: Final = -(2**60)
MOST: Final = 2**60


@dataclass(slots=True)
class Sum:
    """A sum of variables with coefficients, and a constant."""

    variables: list[int] = field(default_factory=list)
    coefficients: list[int] = field(default_factory=list)
    constant: int = 0

    def add(self, variable: int, coefficient: int = 1) -> None:
        """Add one term."""
        self.variables.append(variable)
        self.coefficients.append(coefficient)

    def extend(self, variables: Iterable[int], coefficient: int = 1) -> None:
        """Add several terms with one coefficient."""
        for variable in variables:
            self.add(variable, coefficient)

    def plus(self, other: "Sum", factor: int = 1) -> "Sum":
        """Return the sum of both, the other one multiplied."""
        return Sum(
            [*self.variables, *other.variables],
            [*self.coefficients, *(factor * coefficient for coefficient in other.coefficients)],
            self.constant + factor * other.constant,
        )

    def value(self, values: Sequence[int]) -> int:
        """Return what it comes to."""
        terms = zip(self.variables, self.coefficients, strict=True)
        return self.constant + sum(coefficient * values[variable] for variable, coefficient in terms)


class Draft:
    """The proto, and for every variable that is no count of pods how its value follows from the earlier ones."""

    def __init__(self) -> None:
        self.model = cp_model.CpModel()
        self._proto = self.model.proto
        self._variables = self._proto.variables
        self._constraints = self._proto.constraints
        self.derived: list[tuple[int, Derive]] = []
        self.size = 0

    def variable(self, most: int, *, least: int = 0, derive: Derive | None = None) -> int:
        """Add a variable and return its number; `derive` computes its value from those of the variables before it."""
        self._variables.add().domain.extend([least, most])
        if derive is not None:
            self.derived.append((self.size, derive))
        self.size += 1
        return self.size - 1

    def variables(self, most: Iterable[int]) -> range:
        """Add variables from 0 upwards."""
        first = self.size
        add = self._variables.add
        for upper in most:
            add().domain.extend([0, upper])
            self.size += 1
        return range(first, self.size)

    def at_most(self, total: Sum, most: int) -> int:
        """Add `total <= most` and return the row's number."""
        return self.row(total.variables, total.coefficients, least=LEAST, most=most - total.constant)

    def row(self, variables: Sequence[int], coefficients: Sequence[int], *, least: int, most: int) -> int:
        """Add a linear row and return its number."""
        linear = self._constraints.add().linear
        linear.vars.extend(variables)
        linear.coeffs.extend(coefficients)
        linear.domain.extend([least, most])
        return len(self._constraints) - 1

    def any_of(self, literals: Sequence[int]) -> None:
        """Add that at least one of the booleans is true."""
        self._constraints.add().bool_or.literals.extend(literals)

    def at_least_if(self, literal: int, total: Sum, least: int) -> None:
        """Add `total >= least` where the boolean is true; what no total reaches may be beyond 64 bits."""
        constraint = self._constraints.add()
        constraint.enforcement_literal.append(literal)
        constraint.linear.vars.extend(total.variables)
        constraint.linear.coeffs.extend(total.coefficients)
        constraint.linear.domain.extend([min(max(least - total.constant, LEAST), MOST), MOST])

    def one_of(self, literals: Sequence[int]) -> None:
        """Add that exactly one of the booleans is true."""
        self._constraints.add().exactly_one.literals.extend(literals)

    def limit(self, row: int, most: int) -> None:
        """Change a row's upper bound."""
        domain = self._constraints[row].linear.domain
        domain.clear()
        domain.extend([LEAST, most])

    def minimise(self, total: Sum) -> None:
        """Set what is minimised."""
        self._proto.clear_objective()
        objective = self._proto.objective
        objective.vars.extend(total.variables)
        objective.coeffs.extend(total.coefficients)
        objective.offset = float(total.constant)
        objective.scaling_factor = 1.0

    def hint(self, values: Values) -> None:
        """Set the complete hint; a partial one is no solution to start from."""
        self._proto.clear_solution_hint()
        hint = self._proto.solution_hint
        hint.vars.extend(range(len(values)))
        hint.values.extend(values)
