"""What no controller tells and Home Assistant works out: totals and counts."""
