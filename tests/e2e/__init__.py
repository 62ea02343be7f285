"""Browser tests: they click and read as a user does."""
