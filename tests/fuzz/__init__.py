"""Parsers of external data, and odd inputs for them."""
