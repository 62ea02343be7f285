"""Prices and forecasts of other integrations."""
