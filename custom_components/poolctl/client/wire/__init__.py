"""Bytes and JSON of the published interface to values and back."""
