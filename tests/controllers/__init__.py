"""Reports of owners: diagnostics files, what they prove, and what keeps them true.

`python -m tests.controllers` (scripts/replay) reads a file. The files that are kept
here are checked by tests/integration/test_controllers.py.
"""
