"""Decisions about plans as pure functions of values: quotas, reservations, validity, progress, and when to solve again.

Both services use them. Nothing here computes a plan, carries one out or reads a clock: time is an argument.
"""
