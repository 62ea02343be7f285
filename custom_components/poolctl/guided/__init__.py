"""The guided check: an owner tries harmless changes one by one, and reports."""
