"""Listeners for facts: link statistics and the flight recorder."""
