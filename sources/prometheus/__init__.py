"""Prometheus through prometheus-api-client, in one adapter; nothing of the client or of requests leaves it.

It asks queries and returns series; it knows no node, no pod and no age.
"""
