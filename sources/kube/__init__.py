"""The Kubernetes API: one small port, its real client, and the decoding of raw objects into values.

Everything here reads or writes exactly what it is told to; no vendor's type or exception leaves it.
"""
