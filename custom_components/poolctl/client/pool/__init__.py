"""What is known of a pool: values only, no I/O, no await."""
