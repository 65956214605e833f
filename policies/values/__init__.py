"""The frozen values that decisions take and give: pods, nodes, signals, refusals, records.

Nothing here decides, and nothing here knows Kubernetes JSON, which `sources` decodes into these values.
"""
