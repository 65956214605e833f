"""A real control plane on this machine: builds, starts and ends the programs that tests, demonstration and bench need.

It knows Kubernetes, Prometheus and processes, and must not know Bayplan: what it reports is the word of an outsider.
Nothing here is part of the installed distribution.
"""
