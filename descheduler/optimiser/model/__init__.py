"""The exact model: classes, nodes and constraints as a CP-SAT proto, filled directly.

Source: docs/design/optimiser.md, sections 2, 3 and 6. Only this package and `engine.py` know OR-Tools.
"""
