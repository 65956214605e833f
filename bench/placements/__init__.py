"""Measures the optimiser on made and on real snapshots, beside its baselines; writes docs/benchmarks-placements.md.

It makes problems (values), has solvers answer them and judges the answers with the independent checker; it starts no
service and no cluster. `python -m bench.placements` runs the rows.
"""
