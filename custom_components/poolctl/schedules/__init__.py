"""Schedules as calendar events and as planned runs."""
