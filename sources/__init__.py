"""Where values come from: the Kubernetes API, Prometheus, metrics-server.

It decodes into the values of `policies` and takes no decision; no vendor's type or exception leaves it.
"""
