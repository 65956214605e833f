"""The rails: one small check a file, each protecting a pod, a workload, a node or the whole cluster.

A rail sees a candidate and the situation and answers with a typed refusal or None; none proposes, ranks or acts.
"""
