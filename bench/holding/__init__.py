"""Measures two ways to keep pods waiting while a plan is active: refusal by the extender, and scheduling gates.

It stands apart from the rows: `python -m bench.holding` prints the table of docs/decisions/0011. What is measured is
kube-scheduler and the API server; a stub answers for the extender, so that its own speed is no part of it.
"""
