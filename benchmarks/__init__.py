"""How much the integration costs, against its goals: `python -m benchmarks`."""
