"""Diagnostics files of owners, and the checks of the protocol on them.

`python -m tests.controllers` (scripts/replay) reads a file. The files that are kept
here are checked by tests/report/test_controllers.py.
"""
