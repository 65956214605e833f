"""Stand-ins for what the services read, each a process of its own so that the measured one shares only the processors.

Light on purpose, and without any knowledge of Bayplan's code.
"""
