"""Fewest disruptions by what each node might hold in the end: bounds far above those of the model's rows.

A column is one possible content of one node. A linear program mixes columns and prices pods; pricing asks each node for
its best content at those prices (a knapsack). Source: docs/design/optimiser.md, section 5.
"""
