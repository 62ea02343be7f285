"""Stored data, the trusted clock, timers of holds, and shared controllers."""
