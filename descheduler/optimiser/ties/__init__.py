"""Constraints over several pods as running counts, so that a search may ask before and after each change.

One kind a file. kube-scheduler judges only who comes to a node, so a tie never complains about pods that stayed. The
rows of the exact model are `rows/`. Nothing here searches, and nothing is shared with the checker.
"""
