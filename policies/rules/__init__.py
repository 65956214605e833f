"""The rules: what is in trouble, and which pods' leaving would help, best first; a file each.

A rule proposes values and evicts nobody: rails, budgets and destinations are checked by others, on every candidate.
"""
