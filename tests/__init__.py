"""Tests of Bayplan; the tree mirrors the source, and nothing outside imports it."""
