"""What Home Assistant works out (totals, counts), and what an installer set."""
