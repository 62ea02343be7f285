"""Runs all parsers of external data on mutated inputs.

`python -m tests.fuzz` runs a million of them; the unit tests run some thousands.
"""
