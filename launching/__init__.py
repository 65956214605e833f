"""Bayplan's two services as processes on this machine: command line, policy, ports and pages, for whoever runs them.

Tests, demonstration and bench start them through this, and only this. It knows how they are started and what they
serve, nothing of what they decide: it must not import them. Nothing here is part of the installed distribution.
"""
