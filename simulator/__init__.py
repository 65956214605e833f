"""A cluster in one process: a clock and an in-memory API server, for tests and experiments.

It runs the shipped decision code and never copies it; the services may not import it.
"""
