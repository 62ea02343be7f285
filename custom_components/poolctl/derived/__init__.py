"""Sensors of values that Home Assistant derives, and of the installer's settings."""
