"""Every decision Bayplan takes, as pure functions of values.

Nothing here may read a clock, a file, the environment or the network, start a thread or log; `now` and seeds are
arguments, and what comes back is a frozen value with its reasons.
"""
