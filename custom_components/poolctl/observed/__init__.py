"""Listeners for facts: link statistics, evidence, the flight recorder."""
