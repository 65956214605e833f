"""What lives in a cluster beside Bayplan: controllers, kubelets, a scheduler of sorts; each reacts to single changes.

Every one looks at the present state and not at the change alone, so it may run late. None decides for Bayplan.
"""
