"""The loop that observes, proposes, checks, acts and verifies; the only part that evicts.

It takes every decision from `policies` and may not import the extender or a web framework.
"""
