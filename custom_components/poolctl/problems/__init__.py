"""What needs attention: the table of possible problems, and where it is shown."""
