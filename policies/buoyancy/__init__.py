"""Buoyancy as numbers: slack, saturation, headroom, scores, assumed load, moves and debounce; one concept a file.

Numbers come in and numbers go out: nothing here knows a clock, a pod's owner or a rail, and nothing decides who is
evicted. Definitions, origin and edge cases stand in docs/design/buoyancy.md.
"""
