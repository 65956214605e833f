"""A first plan within milliseconds: best fit, then one and two ejections, then fewest victims.

Source: docs/design/optimiser.md, section 5. Every step keeps all constraints; nothing here calls a solver.
"""
