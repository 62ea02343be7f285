"""The state of a pool: values only, no I/O, no await."""
