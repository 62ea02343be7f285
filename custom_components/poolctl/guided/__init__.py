"""The guided check: an owner tries one harmless change after the other, and reports."""
