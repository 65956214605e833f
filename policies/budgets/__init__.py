"""How much may be disrupted: rolling limits and cool-downs, counted from the eviction records alone.

Nothing here keeps a counter: what is not in a record or among the cycle's victims has not happened.
"""
