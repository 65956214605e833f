"""The placement problem as integers, its solvers and its independent checker.

Nothing here knows Kubernetes objects, reads a clock for decisions, or talks to the cluster.
"""
