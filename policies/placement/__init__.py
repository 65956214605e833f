"""What the extender answers: which nodes of a request are refused, how the rest are scored, which preemption goes on.

Nothing here decodes a request or remembers one: the pod, the names and what is known of the nodes come in as values.
"""
