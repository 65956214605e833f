"""Where a pod could stand: one of kube-scheduler's predicates a file, and the destinations that are left.

Nothing here knows why a pod should move, and nothing here frees the room that a victim leaves behind.
"""
