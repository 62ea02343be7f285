"""Everything that takes apart what somebody else wrote, under inputs that are mutated.

`python -m tests.fuzz` runs a million of them; the unit tests run some thousands.
"""
