"""Browser tests: what a person sees and clicks."""
