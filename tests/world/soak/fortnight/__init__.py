"""A fortnight of a family at its pool."""
