"""Measured values with their ages, by node, pod and workload name, whatever they were measured with.

It asks the policy's queries and sorts their answers; it computes no score and no slack.
"""
