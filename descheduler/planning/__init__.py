"""Placement plans in the descheduler: from the cluster to a problem, from a solution to a plan, and its way to an end.

Every decision comes from `policies`, every solution from `descheduler.optimiser`; only the evictor evicts.
"""
