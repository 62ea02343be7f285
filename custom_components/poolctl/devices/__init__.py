"""Parts of the pool, names of outputs and schedules, identifiers."""
