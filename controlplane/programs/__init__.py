"""One file a program: its command line and its readiness, made from a run; starts nothing by itself."""
