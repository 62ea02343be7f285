"""What is done with a pool: reading it, and commanding it."""
