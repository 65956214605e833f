"""Snapshots in a file: a cluster with its ledger and what was measured of it, to look at what a plan would do.

It reads and writes files and masks names; it takes no decision.
"""
