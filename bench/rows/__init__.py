"""The rows of the table, one module a set-up. Each measures and says what it found; none judges another."""
