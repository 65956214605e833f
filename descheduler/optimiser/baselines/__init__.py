"""What Bayplan's plans are compared with: the paper's Algorithm 8 as released and repaired, and the default scheduler.

They exist to be measured, and share nothing with Bayplan's own solver. What they do not model (ports, affinity, spread)
stays as it is. Source: docs/design/optimiser.md.
"""
