"""What this controller and this service have shown of what we took for granted."""
