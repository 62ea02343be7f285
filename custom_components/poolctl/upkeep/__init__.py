"""What keeps it running: records, memory, finding a lost controller, issues."""
