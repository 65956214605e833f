"""Judges any plan against the raw problem, one rule a file, and shares no code with the solvers' models.

Only values, vectors and whole numbers are used here: no classes of pods, no solver, no rounding.
"""

from descheduler.optimiser.checking.checker import check
from descheduler.optimiser.checking.violations import Rule, Violation

__all__ = ["Rule", "Violation", "check"]
