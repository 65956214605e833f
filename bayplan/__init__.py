"""The command `bayplan`: one file a subcommand. Wires parts together and decides nothing."""
