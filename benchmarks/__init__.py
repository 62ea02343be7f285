"""Costs of the integration, compared with goals: `python -m benchmarks`."""
