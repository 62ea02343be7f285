"""Schedules as entities, as calendar events and as planned runs."""
