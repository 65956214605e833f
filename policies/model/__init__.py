"""The policy: what an operator may tune, as frozen models that refuse whatever they do not know.

Nothing here opens a file: text comes in, a validated `Policy` or a list of errors comes out.
"""
