"""Sensors of values that Home Assistant derives."""
