"""Listeners for facts: link statistics, evidence."""
