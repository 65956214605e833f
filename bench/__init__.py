"""Measures Bayplan's speed and memory on this machine: loads, references in Go and Flask, rows, the table.

It starts the shipped services as processes and looks at them from outside; nothing may import it but its tests, and
no test asserts on a time. `python -m bench` runs the rows.
"""
