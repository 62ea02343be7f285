"""The table of possible problems, the active problems, and where they are shown."""
