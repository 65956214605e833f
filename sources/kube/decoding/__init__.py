"""Raw Kubernetes objects to the values of `policies`, one kind a file.

Nothing here asks the API for anything, and nothing here raises on a malformed object except `Malformed`.
"""
