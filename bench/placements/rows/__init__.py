"""The rows of the table, a module for each family of instances; each yields `Result`s out of a `Lab`."""
