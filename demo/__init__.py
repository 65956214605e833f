"""`make demo-cluster`: a small cluster in trouble, and Bayplan that sees and mends it, in front of a person's eyes.

It starts real programs, makes up the load of pods that KWOK only pretends to run, and tells what the services did. It
must not import `tests`, decide anything, or tell the services more than an operator's policy and Prometheus would.
"""
