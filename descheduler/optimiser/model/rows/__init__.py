"""Rows of the exact model, one kind of constraint a file; only the fixed pods' share enters as constants.

kube-scheduler judges who comes to a node, never who stays: a row that the present placement breaks binds only once
somebody comes. The running counts for the heuristic are `ties/`; nothing is shared with the checker.
"""
