"""The cluster as a placement problem, and a solution of it as a plan; pure functions of values.

Nothing here solves, judges or acts; what Kubernetes asks of a placement comes from `policies.feasibility`.
"""
