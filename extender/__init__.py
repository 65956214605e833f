"""kube-scheduler's webhooks: decode, ask policies, encode; and the caches that make an answer touch memory only.

It may not evict, import the descheduler or OR-Tools, or start anything at import.
"""
